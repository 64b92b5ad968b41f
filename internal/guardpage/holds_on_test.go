//go:build jfrdebug && !nounsafe

package guardpage

const Holds = true
