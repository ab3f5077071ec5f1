#!/bin/sh
# pi, for tests: one message that costs half a dollar and calls a tool, and then work without end.
cat > /dev/null
echo '{"type":"session","version":3,"id":"s-1"}'
echo '{"type":"agent_start"}'
echo '{"type":"message_end","message":{"role":"assistant","content":[],"usage":{"input":1000,"output":50,"cost":{"total":0.5}},"stopReason":"toolUse"}}'
exec sleep 600
