"""The completion script of bash.

Typer's own script takes the words as bash splits them: also at ``:`` and ``=``, so that nothing would be offered behind
``--queue red:`` or ``--set dumbbell.queue=``. This one takes the line as it was typed.
"""

from __future__ import annotations

from typing import Any

__all__ = ["BASH", "use"]

BASH = """
%(complete_func)s() {
    local line="${COMP_LINE:0:COMP_POINT}" IFS=$' \\t\\n'
    local -a words
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local last=$((${#words[@]} - 1))
    # Bash puts a reply in place of what is behind the last ":" or "=".
    local kept="${words[last]%%"${words[last]##*[:=]}"}"
    IFS=$'\\n'
    COMPREPLY=( $( env COMP_WORDS="$line" COMP_CWORD=$last %(autocomplete_var)s=complete_bash $1 ) )
    COMPREPLY=( "${COMPREPLY[@]#"$kept"}" )
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2> /dev/null
    return 0
}

complete -o default -F %(complete_func)s %(prog_name)s
"""


def use() -> None:
    """Let ``--show-completion`` and ``--install-completion`` give it to bash."""
    try:
        from typer import _completion_shared
    except ImportError:
        return
    scripts: Any = getattr(_completion_shared, "_completion_scripts", None)
    if isinstance(scripts, dict) and "bash" in scripts:
        scripts["bash"] = BASH.strip("\n") + "\n"
