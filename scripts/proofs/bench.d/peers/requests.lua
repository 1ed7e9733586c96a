-- For wrk: sends the requests of a file, one after the other. A line may lack a token, and may end
-- with the client's entity tag.
-- usage: wrk -s requests.lua URL -- FILE [again]
-- With `again` it starts at a random line and repeats the file; otherwise the connection closes at the
-- end.
local requests = {}
local current = 0
local again = false

function init(arguments)
    again = arguments[2] == "again"
    for line in io.lines(arguments[1]) do
        local method, path, token, body, tag = line:match("^(.-)\t(.-)\t(.-)\t([^\t]*)\t?(.*)$")
        local headers = {}
        if token ~= "" then headers["Authorization"] = "Bearer " .. token end
        if tag ~= "" then headers["If-None-Match"] = tag end
        if body == "" then
            body = nil
        else
            headers["Content-Type"] = "application/json"
        end
        requests[#requests + 1] = wrk.format(method, path, headers, body)
    end
    if again then
        math.randomseed(os.time())
        current = math.random(#requests)
    end
end

function request()
    current = current + 1
    if current > #requests then
        -- Must not happen without `again`: the request sent here counts as bad.
        current = 1
        if not again then requests = { wrk.format("GET", "/out-of-requests") } end
    end
    return requests[current]
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        "requests %d rate %.0f p50 %.2f p99 %.2f bad %d\n", summary.requests,
        summary.requests / summary.duration * 1e6,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000,
        errors.status + errors.read + errors.write + errors.connect + errors.timeout))
end
