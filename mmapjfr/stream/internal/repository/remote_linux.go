package repository

import "golang.org/x/sys/unix"

// isRemote reports whether a path is on a file system whose changes by others cause no
// notifications: those of networks, and those of programs, such as folders shared with virtual
// machines and containers.
func isRemote(path string) bool {
	var info unix.Statfs_t
	if unix.Statfs(path, &info) != nil {
		return false
	}
	switch uint32(info.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC,
		unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC,
		unix.V9FS_MAGIC, unix.FUSE_SUPER_MAGIC, unix.OCFS2_SUPER_MAGIC, unix.PROC_SUPER_MAGIC,
		gfs2, lustre, gpfs, vboxsf, vmhgfs:
		return true
	}
	return false
}

// Those of file systems that the library does not name.
const (
	gfs2   = 0x01161970
	lustre = 0x0bd00bd0
	gpfs   = 0x47504653
	vboxsf = 0x786f4256
	vmhgfs = 0xbacbacbc
)
