package jfc

import (
	"strconv"
	"strings"
)

// timespan returns a length of time with a space before its unit. It takes what the JDK takes.
func timespan(text string) (string, error) {
	for _, unit := range []string{"ns", "us", "ms", "s", "m", "h", "d"} {
		if !strings.HasSuffix(text, unit) {
			continue
		}
		number := strings.TrimRight(strings.TrimSuffix(text, unit), " \t")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return "", noTimespan(text)
		}
		return strconv.FormatInt(n, 10) + " " + unit, nil
	}
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return "", noTimespan(text)
	}
	return "", &setError{"Timespan '" + text + "' is missing unit. Valid units are ns, us, ms, s, m, h and d.", ErrValue}
}

func noTimespan(text string) error {
	return &setError{"'" + text + "' is not a valid timespan.\nShould be numeric value followed by a unit, i.e. 20 ms. Valid units are ns, us, ms, s, m, h and d.", ErrValue}
}
