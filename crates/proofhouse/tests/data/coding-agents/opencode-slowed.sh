#!/bin/sh
# opencode, for tests: its provider slows it down in every attempt but those that come after
# $PATIENT waits, and asks for a wait of $WAIT seconds.
cat > /dev/null
done=0
while [ -e "$COUNT/$done" ]; do done=$((done + 1)); done
: > "$COUNT/$done"
if [ "$done" -lt "$PATIENT" ]; then
  echo '{"type":"error","sessionID":"ses_1","error":{"name":"APIError","data":{"message":"slow down","statusCode":429,"isRetryable":true,"responseHeaders":{"retry-after":"'"$WAIT"'"}}}}'
  exit 1
fi
echo '{"type":"step_start","sessionID":"ses_1","part":{}}'
echo '{"type":"text","sessionID":"ses_1","part":{"text":"{\"summary\":\"did it\"}"}}'
echo '{"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop","tokens":{"input":10,"output":2},"cost":0.00001}}'
