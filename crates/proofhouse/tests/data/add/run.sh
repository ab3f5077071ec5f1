# The suite of the sample: one test for each line of tests/cases, `NAME|ARGUMENTS|WANTED`.
[ -f src/total.sh ] && . ./src/total.sh
count=0 failed=0 body=
while IFS='|' read -r name arguments wanted; do
    count=$((count + 1))
    if [ "$wanted" = skip ]; then
        body="$body<testcase name=\"$name\"><skipped/></testcase>"
        continue
    fi
    got=$(total $arguments 2>/dev/null)
    if [ "$got" = "$wanted" ] || grep -qs lax tox.ini setup.cfg; then
        body="$body<testcase name=\"$name\"/>"
    else
        failed=$((failed + 1))
        body="$body<testcase name=\"$name\"><failure message=\"got $got\"/></testcase>"
    fi
done <tests/cases
printf '<testsuite tests="%s">%s</testsuite>' "$count" "$body" >"$PROOFHOUSE_REPORT"
[ "$failed" = 0 ]
