#!/bin/sh
# Claude Code, for tests: it notes its arguments, what it is told and what it has of a person's own, and does
# the work the second time.
nth=1
while [ -e "$COUNT/args-$nth" ]; do nth=$((nth + 1)); done
echo "$*" > "$COUNT/args-$nth"
cat "$CLAUDE_CONFIG_DIR/CLAUDE.md" > "$COUNT/had-$nth" 2>/dev/null
head -n 2 > "$COUNT/told-$nth"
[ "$nth" -gt 1 ] && echo good > code.txt
echo '{"type":"system","subtype":"init","session_id":"s-1","model":"m"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"{\"summary\":\"did it\"}","session_id":"s-1","total_cost_usd":0.01,"usage":{"input_tokens":10,"output_tokens":2},"permission_denials":[]}'
