-- For wrk: reads the members of many families, each with a token of its own.
-- usage: wrk -s members.lua URL -- TOKENS_FILE      line i is the token of family i's Parent Admin
local requests = {}
local current = 0

function init(arguments)
    local number = 0
    for token in io.lines(arguments[1]) do
        number = number + 1
        local path = string.format(
            "/api/family/members?familyId=00000000-0000-4000-9000-%012x", number)
        requests[number] = wrk.format("GET", path, { Authorization = "Bearer " .. token })
    end
    math.randomseed(os.time())
    current = math.random(#requests)
end

function request()
    current = current % #requests + 1
    return requests[current]
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        "rate %.0f p50 %.2f p99 %.2f max %.2f bad %d\n", summary.requests / summary.duration * 1e6,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000,
        errors.status + errors.read + errors.write + errors.connect + errors.timeout))
end
