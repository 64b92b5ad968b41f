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
		Long: `List recordings for --manifest: a JSON line with uri, size and etag for each. With one list, all
machines divide the same work even if recordings are added meanwhile, and none has to search
folders and buckets.

URLs are written as you gave them: if they have passwords or signatures, keep the list secret.
Missing recordings, and files on servers that are no recordings, are reported and left out; the
exit code is then 1.`,
		Example: `  mjfr batch list s3://profiles/2026-11-20/ > list.ndjson
  mjfr batch profile --manifest list.ndjson --shard 3/16 --out work/`,
		Args:        cli.NeedFiles,
		Annotations: map[string]string{cli.RecordingsKey: "Each is a recording of its own."},
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
