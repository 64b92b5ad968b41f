# Completion of mjfr for fish: mjfr completion fish > ~/.config/fish/completions/mjfr.fish
function __mjfr_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    # A quote that is still open is no part of the word.
    if string match -qr '^[\'"]' -- $word
        set word (string sub -s 2 -- $word)
    else
        set word (string unescape -- $word; or echo $word)
    end
    set -l command $words[1]
    set -e words[1]
    set -l lines (eval $command __complete (string escape -- $words "$word") 2>/dev/null)
    set -l directive (string sub -s 2 -- $lines[-1])
    set -e lines[-1]
    string match -qr '^\d+$' -- $directive; or return 1
    set -l before (string match -r '^-[^=]*=' -- $word)
    set -l rest (string replace -r '^-[^=]*=' '' -- $word)
    if test (math "floor($directive / 8) % 2") -eq 1
        for suffix in $lines
            for file in (__fish_complete_suffix "$rest" ".$suffix")
                string match -qr "(/|\.$suffix)(\t|\$)" -- $file; and echo "$before$file"
            end
        end
    else if test (math "floor($directive / 16) % 2") -eq 1
        __fish_complete_directories "$rest" | string replace -r '^' "$before"
    else if test (count $lines) -gt 0
        for line in $lines
            echo "$before$line"
        end
    else if test (math "floor($directive / 4) % 2") -eq 0
        __fish_complete_path "$rest" | string replace -r '^' "$before"
    end
end
complete -c mjfr -f -a '(__mjfr_complete)'
