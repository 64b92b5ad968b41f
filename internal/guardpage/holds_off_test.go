//go:build jfrdebug && nounsafe

package guardpage

const Holds = false
