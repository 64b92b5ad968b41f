//go:build jfrdebug

#include "textflag.h"

// func Goroutine() uintptr
TEXT ·Goroutine(SB), NOSPLIT, $0-8
	MOVD g, R8
	MOVD R8, ret+0(FP)
	RET
