# manual.sh - scripts of hector-batch(7), as they stand on the page.
# shellcheck shell=sh

manual_script() # PAGE NAME
{
    awk -v name="$2" '
        $0 == ".\\\" " name { on = 1; next }
        on && /^\.Bd/ { next }
        on && /^\.Ed/ { exit }
        on { gsub(/\\e/, "\\"); print }' "$1"
}

manual_scripts() # PAGE: their names
{
    sed -n 's/^\.\\" \([a-z-]*\.sh\)$/\1/p' "$1"
}
