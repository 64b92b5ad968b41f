# Completion of mjfr for bash 3.2 and later: eval "$(mjfr completion bash)"
# mjfr itself takes the line apart: bash's words depend on its settings, and a quote that
# is still open cannot be evaluated.
__mjfr_complete() {
    local IFS=$'\n' kind= entry
    COMPREPLY=()
    {
        read -r kind
        while read -r entry; do COMPREPLY+=("$entry"); done
    } < <("${1/#\~/$HOME}" __bash "$COMP_TYPE" "$COMP_WORDBREAKS" "${COMP_LINE:0:$COMP_POINT}" 2>/dev/null)
    case $kind in
    nospace) compopt -o nospace 2>/dev/null ;;
    files) compopt -o filenames 2>/dev/null ;;
    esac
}
complete -F __mjfr_complete mjfr
