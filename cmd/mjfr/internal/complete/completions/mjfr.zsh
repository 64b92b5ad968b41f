#compdef mjfr
# Completion of mjfr for zsh: a file _mjfr in a folder of fpath, or
# eval "$(mjfr completion zsh)" after compinit.
_mjfr() {
    local word=$PREFIX directive line
    local -a lines values shown space
    [[ -z $compstate[quote] ]] && word=${(Q)word}
    lines=("${(@f)$("${words[1]/#\~/$HOME}" __complete "${(@Q)words[2,CURRENT-1]}" "$word" 2>/dev/null)}")
    directive=${lines[-1]#:}
    lines[-1]=()
    [[ $directive == <-> ]] || return 1
    [[ $word == -*=* ]] && compset -P 1 '*='
    if (( directive & 8 )); then
        _files -g "*.(${(j:|:)lines})"
        return
    elif (( directive & 16 )); then
        _files -/
        return
    fi
    for line in $lines; do
        values+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/  -- }")
    done
    (( directive & 2 )) && space=(-S '')
    if (( $#values )); then
        compadd -l -d shown "${space[@]}" -a values
    elif (( ! (directive & 4) )); then
        _files
    fi
}
if [[ $funcstack[1] == _mjfr ]]; then
    _mjfr "$@"
else
    compdef _mjfr mjfr
fi
