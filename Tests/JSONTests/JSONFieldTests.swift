import JSON
import Testing

private func message(_ body: () throws(JSONError) -> Void) -> String? {
    do throws(JSONError) {
        try body()
        return nil
    } catch {
        return error.description
    }
}

@Suite("Reading fields of a document") struct JSONFieldTests {
    let body = JSONField([
        "name": "Name", "count": 3, "share": 0.5, "open": true, "note": nil,
        "members": [["role": "parent"], ["role": 7]], "home": ["latitude": 12],
    ])

    @Test("values of the right type are returned")
    func values() throws {
        #expect(try body["name"].string() == "Name")
        #expect(try body["count"].integer() == 3)
        #expect(try body["count"].number() == 3)
        #expect(try body["share"].number() == 0.5)
        #expect(try body["open"].bool())
        #expect(try body["home"]["latitude"].number() == 12)
        #expect(try body["members"].elements()[0]["role"].string() == "parent")
        #expect(try body.object().members.count == 7)
    }

    @Test("a missing field and a null field both count as absent, but can be told apart")
    func presence() throws {
        #expect(try body["note"].ifPresent == nil)
        #expect(try body["absent"].ifPresent == nil)
        #expect(try body["note"].value == JSONValue.null)
        #expect(try body["absent"].value == nil)
        #expect(try body["name"].ifPresent?.string() == "Name")
    }

    @Test("a wrong type reports the path, the expected and the actual type")
    func wrongTypes() {
        #expect(
            message { () throws(JSONError) in _ = try body["count"].string() }
                == "`count` must be a string, found a number")
        #expect(
            message { () throws(JSONError) in
                _ = try body["members"].elements()[1]["role"].string()
            } == "`members[1].role` must be a string, found a number")
        #expect(
            message { () throws(JSONError) in _ = try body["home"]["latitude"].bool() }
                == "`home.latitude` must be a boolean, found a number")
        #expect(
            message { () throws(JSONError) in _ = try body["share"].integer() }
                == "`share` must be a whole number, "
                + "found a number with a fraction or an exponent")
        #expect(
            message { () throws(JSONError) in _ = try body["name"]["first"].string() }
                == "`name` must be an object, found a string")
        #expect(
            message { () throws(JSONError) in _ = try JSONField([1])["x"].string() }
                == "The document must be an object, found an array")
        #expect(
            message { () throws(JSONError) in _ = try body["open"].elements() }
                == "`open` must be an array, found a boolean")
        #expect(
            message { () throws(JSONError) in _ = try body["note"].number() }
                == "`note` must be a number, found null")
    }

    @Test("a missing field is reported as missing")
    func missing() {
        #expect(
            message { () throws(JSONError) in _ = try body["home"]["longitude"].number() }
                == "`home.longitude` is missing: expected a number")
    }
}
