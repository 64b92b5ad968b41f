package oracle

var EventFilter = eventFilter
