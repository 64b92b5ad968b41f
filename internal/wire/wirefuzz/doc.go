// Package wirefuzz has the fuzz targets of wire. They are apart from its other tests because go
// test instruments all that a test binary holds, and looks at all of it after every execution:
// without testify, and the HTTP server that comes with it, there are several times as many.
package wirefuzz
