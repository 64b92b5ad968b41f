# Completion of mjfr for bash. Cobra's script needs bash-completion, and offers nothing after a comma.
_mjfr() {
    local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} words word value directive name
    local -a lines
    read -a words <<<"$line" # without the backslashes
    [[ $line == *[!\\]' ' ]] && words+=('')
    word=${words[${#words[@]} - 1]} value=$word
    [[ $word == -*=* ]] && value=${word#*=}
    mapfile -t lines < <("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null)
    directive=${lines[${#lines[@]} - 1]#:}
    unset "lines[${#lines[@]} - 1]"
    COMPREPLY=()
    if ((directive & 8)); then
        compopt -o filenames
        mapfile -t COMPREPLY < <(
            compgen -d -- "$value"
            for name in "${lines[@]}"; do compgen -f -X "!*.$name" -- "$value"; done
        )
        return
    elif ((directive & 16)); then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "$value")
        return
    elif ((${#lines[@]} == 0 && !(directive & 4))); then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$value")
        return
    fi
    ((directive & 2)) && compopt -o nospace
    for line in "${lines[@]}"; do
        name=${line%%$'\t'*}
        [[ $name == "$value"* ]] || continue
        if ((COMP_TYPE == 63)) && [[ $line == *$'\t'* ]]; then
            COMPREPLY+=("$name  (${line#*$'\t'})")
        else
            COMPREPLY+=("$(printf %q "$name" | sed 's/\\,/,/g')")
        fi
    done
}
complete -F _mjfr mjfr
