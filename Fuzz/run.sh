#!/bin/sh
# Fuzzes both targets: Fuzz/run.sh [SECONDS for each, 300 by default]. Status 1 when one of them found something.
set -eu
seconds=${1:-300}
cd "$(dirname "$0")/.."
sources=Sources/RPCShell
out=.build/fuzz
# The sanitizer reports crashes; Swift's own reporter would get in its way.
export SWIFT_BACKTRACE=enable=no
mkdir -p "$out"

build() { # TARGET SOURCE...
  target=$1
  shift
  swiftc -O -g -assert-config Debug -sanitize=fuzzer,address -use-ld=lld -parse-as-library -swift-version 6 \
    -module-name "$target" \
    -I Sources/CJansson -I Sources/CLinux "Fuzz/$target.swift" "$@" -o "$out/$target"
}

build ScannerFuzzer $sources/Text/ASCII.swift $sources/Bytes/ByteBuffer.swift $sources/JSON/*.swift
build FrameFuzzer $sources/Text/ASCII.swift $sources/Bytes/ByteBuffer.swift $sources/JSON/*.swift $sources/Frame/Frame.swift \
  $sources/Frame/DecoderOptions.swift $sources/Frame/FrameDecoder*.swift $sources/Frame/HeaderBlock.swift $sources/Message/Message.swift \
  $sources/Message/RequestID.swift

status=0
for target in ScannerFuzzer FrameFuzzer; do
  mkdir -p "$out/found/$target" "$out/crashes/$target"
  log="$out/$target.log"
  if "$out/$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -dict=Fuzz/json.dict -artifact_prefix="$out/crashes/$target/" \
    "$out/found/$target" "Fuzz/corpus/$target" > "$log" 2>&1; then
    verdict=ok
  else
    verdict="FAILED, see $log and $out/crashes/$target"
    status=1
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "$target: ${runs:-?} runs in $seconds s, $(ls "$out/found/$target" | wc -l) inputs kept: $verdict"
done
exit $status
