// Package rewrite copies recordings by a plan: which events stay, and which values change.
package rewrite
