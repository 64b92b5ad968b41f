// Package internal_test tests the small packages of this folder. Their tests are one package,
// because a program for the tests of each would take longer to link than to run. A test's name
// begins with that of the package that it tests.
package internal_test
