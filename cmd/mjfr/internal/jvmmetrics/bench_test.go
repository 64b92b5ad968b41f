package jvmmetrics_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmmetrics"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// BenchmarkScrape is of all metrics, with the labels that three recordings have.
func BenchmarkScrape(b *testing.B) {
	handler := everything(b).Handler()
	for _, format := range []struct{ name, accept, encoding string }{
		{"text", "text/plain", ""},
		{"openmetrics", "application/openmetrics-text; version=1.0.0", ""},
		{"gzip", "text/plain", "gzip"},
	} {
		b.Run(format.name, func(b *testing.B) {
			request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			request.Header.Set("Accept", format.accept)
			request.Header.Set("Accept-Encoding", format.encoding)
			b.ReportAllocs()
			var size int
			for b.Loop() {
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, request)
				size = answer.Body.Len()
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

// BenchmarkHandle is of one event of each type.
func BenchmarkHandle(b *testing.B) {
	rec := open(b, "jdk25-profile.jfr")
	m := jvmmetrics.New()
	feed(b, m, rec)
	for _, s := range m.Handlers() {
		for ev, err := range rec.Select(mmapjfr.Types(s.Type)).Events() {
			require.NoError(b, err)
			b.Run(s.Type, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_ = s.Handle(ev)
				}
			})
			break
		}
	}
}
