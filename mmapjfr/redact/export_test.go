package redact

import "github.com/mmapjfr/jfr/mmapjfr/rewrite"

type place1 = rewrite.Place
