package tui

// keys are what the keys do.
var keys = [][2]string{
	{"↑ ↓ j k", "choose a type of events, or scroll"},
	{"pgup pgdn", "the same by pages; home and end, g and G: all the way"},
	{"enter", "show the last events of the type; esc goes back"},
	{"tab ← →", "show another panel: methods, allocation, locks, ..."},
	{"s", "sort types: by rate of 10 s, of 60 s, total, name"},
	{"/", "show only types with a text in their name; esc: all"},
	{"p space", "let the screen stand still; the stream goes on"},
	{"ctrl+z", "suspend, where there is a shell to go back to"},
	{"q ctrl+c", "quit"},
}

// helpLines tell what the keys do, and what is shown.
func helpLines() []string {
	lines := []string{bold.Render("Keys")}
	for _, k := range keys {
		lines = append(lines, "  "+fit(k[0], 12)+k[1])
	}
	return append(lines, "",
		"Rates are of the last 10 seconds, lists of the last minute, by the times",
		"of the events. Of a type that was not chosen few events are kept.")
}
