"""What the standard tools answer, in the words of a real agent's tools.

Inputs, outputs and errors are those seen in real logs (Claude Code 2.1). A tool that is not known here has no
output to speak of.
"""

from __future__ import annotations

from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockbackend.scenario.project import Project

    Result = tuple[Any, bool]

READ_LINES = 2000
"""Lines that `Read` shows at most, without a limit of its own."""


def run(project: Project, tool: str, given: Mapping[str, Any]) -> Result:
    """Return what *tool* says about *given*, and whether it succeeded."""
    match tool:
        case "Read":
            return _read(project, given)
        case "Edit" | "MultiEdit":
            return _edit(project, given, given.get("edits") or [given])
        case "Write":
            project.files[project.local(str(given.get("file_path")))] = str(given.get("content", ""))
            return f"File created successfully at: {given.get('file_path')}", True
        case "Grep":
            return _grep(project, given), True
        case "Glob":
            found = [project.path(name) for name in project.files if _fits(name, str(given.get("pattern", "*")))]
            return "\n".join(found) or "No files found", True
        case "LS":
            return _list(project), True
        case "Bash":
            return _bash(project, str(given.get("command", "")), background=bool(given.get("run_in_background")))
        case _:
            return _other(tool, given), True


def _read(project: Project, given: Mapping[str, Any]) -> Result:
    text = project.files.get(project.local(str(given.get("file_path"))))
    if text is None:
        return f"File does not exist. Note: your current working directory is {project.folder}.", False
    first = int(given.get("offset") or 1)
    lines = text.split("\n")[first - 1 : first - 1 + int(given.get("limit") or READ_LINES)]
    return "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, first)), True


def _edit(project: Project, given: Mapping[str, Any], edits: list[Mapping[str, Any]]) -> Result:
    path = str(given.get("file_path"))
    text = project.files.get(project.local(path))
    if text is None:
        return f"File does not exist. Note: your current working directory is {project.folder}.", False
    for edit in edits:
        old, new = str(edit.get("old_string")), str(edit.get("new_string"))
        if old == new:
            return "No changes to make: old_string and new_string are exactly the same.", False
        count = text.count(old)
        if not count:
            return f"<tool_use_error>String to replace not found in file.\nString: {old}</tool_use_error>", False
        if count > 1 and not edit.get("replace_all"):
            return f"Found {count} matches of the string to replace, but replace_all is false.", False
        text = text.replace(old, new)
    project.files[project.local(path)] = text
    if "edits" in given:
        return f"Applied {len(edits)} edit{'' if len(edits) == 1 else 's'} to {path}", True
    return f"The file {path} has been updated successfully.", True


def _grep(project: Project, given: Mapping[str, Any]) -> str:
    pattern = str(given.get("pattern", ""))
    hits = [
        (name, number, line)
        for name, text in project.files.items()
        if _fits(name, str(given.get("glob") or "*"))
        for number, line in enumerate(text.split("\n"), 1)
        if pattern in line
    ]
    if given.get("output_mode") == "content":
        return "\n".join(f"{name}:{number}:{line}" for name, number, line in hits) or "No matches found"
    names = list(dict.fromkeys(name for name, _, _ in hits))
    found = f"Found {len(names)} file{'' if len(names) == 1 else 's'}"
    return "\n".join([found, *names]) if names else "No files found"


def _fits(name: str, pattern: str) -> bool:
    return (
        fnmatch(name, pattern)
        or fnmatch(name, pattern.replace("**/", ""))
        or fnmatch(name.rsplit("/", maxsplit=1)[-1], pattern)
    )


def _list(project: Project) -> str:
    lines = [f"- {project.folder}/"]
    shown: set[str] = set()
    for name in sorted(project.files):
        *folders, file = name.split("/")
        for depth in range(len(folders)):
            folder = "/".join(folders[: depth + 1])
            if folder not in shown:
                shown.add(folder)
                lines.append(f"{'  ' * (depth + 1)}- {folders[depth]}/")
        lines.append(f"{'  ' * (len(folders) + 1)}- {file}")
    return "\n".join(lines) + "\n"


def _bash(project: Project, command: str, *, background: bool) -> Result:
    if background:
        job = f"b{len(project.background) + 1:07x}"
        project.background[job] = command
        return f"Command running in background with ID: {job}.", True
    for change in project.changes:
        if change.test == command:
            if project.is_done(change):
                return change.passes, True
            return f"Exit code 1\n{change.fails}", False
    match command.split():
        case ["ls", *_]:
            return "\n".join(sorted({name.split("/")[0] for name in project.files})), True
        case ["cat", name] if name in project.files:
            return project.files[name], True
        case ["wc", "-l", *names]:
            counts = [(project.files.get(name, "").count("\n"), name) for name in names]
            return "\n".join(f"{count:8d} {name}" for count, name in counts), True
        case ["pwd"]:
            return project.folder, True
        case _:
            return "(Bash completed with no output)", True


def _other(tool: str, given: Mapping[str, Any]) -> Any:
    match tool:
        case "TodoWrite":
            return (
                "Todos have been modified successfully. Ensure that you continue to use the todo list to track your "
                "progress. Please proceed with the current tasks if applicable"
            )
        case "Task" | "Agent":
            return [{"type": "text", "text": f"Done: {given.get('description', 'the task')}."}]
        case "NotebookEdit":
            return f"Updated cell {given.get('cell_id', 'c1')} with {given.get('new_source', '')}"
        case "ExitPlanMode":
            return "User has approved exiting plan mode. You can now proceed."
        case "WebSearch":
            return f'Web search results for query: "{given.get("query", "")}"\n\nNo results found.'
        case "WebFetch":
            return f"The page at {given.get('url', '')} could be read; it says nothing about this."
        case _:
            return ""
