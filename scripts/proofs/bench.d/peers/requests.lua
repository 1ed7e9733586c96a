-- For wrk: sends the requests of a file, one after the other. A line may lack a token, and may end
-- with the client's entity tag.
-- usage: wrk -s requests.lua URL -- FILE [again | THREADS]
-- With `again` each thread starts at a random line and repeats the file. Otherwise each line is sent
-- once, by one of the threads, whose number has to be given if there are several.
local requests = {}
local current = 0
local again = false
local threads = 0

function setup(thread)
    thread:set("number", threads)
    threads = threads + 1
end

function init(arguments)
    again = arguments[2] == "again"
    local share = tonumber(arguments[2]) or 1
    local index = 0
    for line in io.lines(arguments[1]) do
        index = index + 1
        if again or index % share == number then add(line) end
    end
    if again then
        math.randomseed(os.time() + number)
        current = math.random(#requests)
    end
end

function add(line)
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
