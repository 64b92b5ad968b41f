//go:build jfrdebug && nounsafe

package fence

const Holds = false
