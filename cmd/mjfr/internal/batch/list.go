package batch

import (
	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// newList makes mjfr batch list.
func newList(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list FILE...",
		Short: "Write a manifest of recordings for --manifest",
		Long: `Write a line for each recording that the names lead to, as JSON with uri, size and etag: a list for
--manifest. With one list all machines do parts of the same work, also if recordings are added
meanwhile, and none of them has to look through folders and buckets. URLs are written as they
were given: if they are signed, the list is a secret.`,
		Example: `  mjfr batch list s3://profiles/2026-11-20/ > list.ndjson
  mjfr batch profile --manifest list.ndjson --shard 3/16 --out work/`,
		Args: cli.NeedFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			store := &batch.Store{Remote: a.Client()}
			list, err := store.List(cmd.Context(), args)
			if err != nil {
				return err
			}
			return batch.WriteManifest(a.Stdout, list)
		},
	}
}
