# Where the package bash-completion is missing: the words of the line as they were typed, those with = and :
# whole. Anything else of it is not needed.
declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref()
{
    local i word rest=$COMP_LINE
    words=() cword=0
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        if ((i > 0)) && [[ $rest != [[:space:]]* ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        rest=${rest#"${rest%%[![:space:]]*}"}
        rest=${rest#"$word"}
        ((i == COMP_CWORD)) && cword=$((${#words[@]} - 1))
    done
    cur=${words[cword]} prev=${words[cword > 0 ? cword - 1 : 0]}
}

