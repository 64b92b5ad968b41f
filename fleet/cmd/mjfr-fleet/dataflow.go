package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/gcpopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow/dataflowlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/api/googleapi"

	"github.com/mmapjfr/jfr/fleet"
)

// checkDataflow returns an error if Dataflow, whose machines see objects alone, cannot do a job.
func checkDataflow(j *fleet.Job, tables string) error {
	if tables != "" {
		return errors.New("tables are written to a folder that all workers share, which those of Dataflow have not")
	}
	for _, name := range append([]string{j.Out, j.Manifest}, j.Inputs...) {
		if name != "" && !isObject(name) {
			return fmt.Errorf("workers of Dataflow cannot see %s: the recordings, --manifest and -o must be objects, such as gs://BUCKET/NAME", name)
		}
	}
	if kind := strings.ToLower(*jobopts.EnvironmentType); kind != "" && kind != "docker" {
		return fmt.Errorf("workers of Dataflow are containers: --environment_type %s is for other engines", *jobopts.EnvironmentType)
	}
	if *gcpopts.Region == "" {
		return errors.New("--region is missing: where Dataflow runs the job, such as europe-west1")
	}
	for _, flag := range []string{"staging_location", "temp_location", "template_location"} {
		name := valueOf(flag)
		bucket, _, _ := strings.Cut(strings.TrimPrefix(name, "gs://"), "/")
		switch {
		case name == "" && flag != "staging_location":
		case !strings.HasPrefix(name, "gs://") || bucket == "":
			return fmt.Errorf("--%s must be a folder for files of Dataflow, such as gs://BUCKET/staging", flag)
		}
	}
	return nil
}

// dataflowArch returns the processor of the machines that are asked for.
func dataflowArch() string {
	machine := valueOf("worker_machine_type")
	if machine == "" {
		machine = valueOf("machine_type")
	}
	for _, arm := range []string{"t2a", "c4a"} {
		if strings.HasPrefix(machine, arm) {
			return "arm64"
		}
	}
	return "amd64"
}

// runDataflow submits a job, whose folder for results is out, to Dataflow, and waits for it. Beam's own waiting neither ends when it is interrupted, nor says why a
// job fails, and takes one that is cancelled for one that is done.
func runDataflow(ctx context.Context, p *beam.Pipeline, out string) (done bool, err error) {
	if valueOf("dry_run") == "true" {
		return false, beamx.Run(ctx, p)
	}
	f := &follower{project: gcpopts.GetProjectFromFlagOrEnvironment(ctx), region: *gcpopts.Region}
	if f.project == "" {
		return false, errors.New("--project is missing: the project of Google Cloud that pays for the job")
	}
	if f.client, err = dataflowlib.NewClient(ctx, valueOf("dataflow_endpoint")); err != nil {
		return false, fmt.Errorf("no access to Google Cloud: %w", err)
	}
	if template := valueOf("template_location"); template != "" {
		err := beamx.Run(ctx, p)
		if err == nil {
			fmt.Fprintf(os.Stderr, "mjfr-fleet: the template of the job is in %s\n", template)
		}
		return false, err
	}
	wait := !*jobopts.Async
	if name := *jobopts.JobName; name != "" && wait && valueOf("update") != "true" {
		// Beam would take that job for the one that it has submitted.
		if j, err := dataflowlib.GetRunningJobByName(f.client, f.project, f.region, name); err == nil {
			return false, fmt.Errorf("a job with the name %s is running already: %s", name, j.Id)
		}
	}
	if err := fleet.Prepare(ctx, out); err != nil {
		return false, err
	}
	*jobopts.Async = true
	fmt.Fprintf(os.Stderr, "mjfr-fleet: sending the program to %s\n", valueOf("staging_location"))
	result, err := beamx.RunWithMetrics(ctx, p)
	if err != nil {
		return false, err
	}
	f.id = result.JobID()
	f.say("job %s has been submitted: https://console.cloud.google.com/dataflow/jobs/%s/%s?project=%s", f.id, f.region, f.id, f.project)
	if !wait {
		return false, nil
	}
	return true, f.follow(ctx)
}

// follower waits for a job of Dataflow, and passes on its messages.
type follower struct {
	client      *df.Service
	project     string
	region      string
	id          string
	state       string
	messages    map[string]bool // their ids
	since, last string          // time, and text of an error
}

const (
	longestPause = 15 * time.Second
	mostFailures = 8 // requests in sequence
)

func (f *follower) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "mjfr-fleet: "+format+"\n", args...)
}

// follow returns nil when the job is done.
func (f *follower) follow(ctx context.Context) error {
	f.messages = make(map[string]bool)
	failures := 0
	for pause := time.Second; ; pause = min(2*pause, longestPause) {
		ended, err := f.ask(ctx)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("%w, but the job goes on; gcloud dataflow jobs cancel %s --project %s --region %s stops it", errInterrupted, f.id, f.project, f.region)
		case ended:
			return err
		case err == nil:
			failures = 0
		default:
			if failures++; failures == mostFailures || !isPassing(err) {
				return fmt.Errorf("job %s cannot be followed, but may go on: %w", f.id, err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// isPassing reports whether a request may succeed when it is made again.
func isPassing(err error) bool {
	answer, ok := errors.AsType[*googleapi.Error](err)
	return !ok || answer.Code == http.StatusTooManyRequests || answer.Code >= 500
}

// ask asks once how the job is. It returns whether the job has ended, and how.
func (f *follower) ask(ctx context.Context) (ended bool, err error) {
	j, err := f.client.Projects.Locations.Jobs.Get(f.project, f.region, f.id).Context(ctx).Do()
	if err != nil {
		return false, err
	}
	state := strings.ToLower(strings.TrimPrefix(j.CurrentState, "JOB_STATE_"))
	if state != f.state {
		f.say("job %s is %s", f.id, state)
		f.state = state
	}
	if err := f.listen(ctx); err != nil && state != "done" {
		f.say("the messages of job %s cannot be read: %v", f.id, err)
	}
	switch state {
	case "done":
		return true, nil
	case "failed":
		if f.last == "" {
			return true, fmt.Errorf("job %s has failed", f.id)
		}
		return true, fmt.Errorf("job %s has failed: %s", f.id, f.last)
	case "cancelled", "drained", "updated":
		return true, fmt.Errorf("job %s has been %s, and has no results", f.id, state)
	}
	return false, nil
}

// listen passes on the warnings and errors of the job that are new.
func (f *follower) listen(ctx context.Context) error {
	call := f.client.Projects.Locations.Jobs.Messages.List(f.project, f.region, f.id).MinimumImportance("JOB_MESSAGE_WARNING")
	if f.since != "" {
		call.StartTime(f.since)
	}
	return call.Pages(ctx, func(page *df.ListJobMessagesResponse) error {
		for _, m := range page.JobMessages {
			if f.messages[m.Id] {
				continue
			}
			f.messages[m.Id], f.since = true, m.Time
			text := reason(m.MessageText)
			if m.MessageImportance == "JOB_MESSAGE_ERROR" {
				f.last = text
			}
			f.say("%s", text)
		}
		return nil
	})
}
