package batch

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// newList makes mjfr batch list.
func newList(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list FILE...",
		Short: "List recordings, for --manifest",
		Long: `Write a line for each recording that the names lead to, as JSON with uri, size and etag: a list for
--manifest. With one list all machines do parts of the same work, also if recordings are added
meanwhile, and none of them has to look through folders and buckets. URLs are written as they
were given, with passwords and signatures, since the list is an input: then it is a secret. Missing recordings, and files of servers that are
no recordings, are reported and left out; then the exit code is 1.`,
		Example: `  mjfr batch list s3://profiles/2026-11-20/ > list.ndjson
  mjfr batch profile --manifest list.ndjson --shard 3/16 --out work/`,
		Args: cli.NeedFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			store := &batch.Store{Remote: a.Client()}
			list, err := store.List(cmd.Context(), args)
			if err != nil {
				return err
			}
			list = slices.DeleteFunc(list, func(o batch.Object) bool {
				err := o.Err()
				if err != nil {
					a.Damaged = true
					a.Report(fmt.Errorf("%s: %w; it is left out", o.Name, err))
				}
				return err != nil
			})
			return batch.WriteManifest(a.Stdout, list)
		},
	}
}
