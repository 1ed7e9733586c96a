import Crypto

/// The icon of Hearth's pages, a house with a fire in it, at the path that browsers request.
enum PageIcon {
    /// An ICO file with one picture of 48 pixels.
    static let bytes = Base64URL.decode(text) ?? []

    private static let text = """
        AAABAAEAMDAAAAEAIAB-AwAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAwAAAAMAgGAAAAVwL5hwAAA0VJREFU\
        eNrtmc1PE0EUwN8s221pt7a1pbUfK1JMFWIISuIFDmhoqwQw6M1EL3r27j_gH-DdC4ne0NASSMEIiRoTEjAa\
        golGiBQ_oJBAyke7rF1nCjEBJHa7u2WMO0nT6c6bN-83897Mmy4D_3hhDAAD4D8HYPVSLAOgwXjoIal3pRbu\
        oeIj7QvSQ2kq5rOJyNSP1cd3cVKcvH0jPrK4QT3AQFQIIAZGseLGfSsyIxcgem00_Y3aGEjE_RcQgqn9xu_O\
        VCNpIzJUAiSjoV4ks6-xkb5Dlxu3ERkiSxVAMha8j6e4H38sJTithcgW-xx1DIy1A7vOCY-wlttlblV9vJi-\
        c2kcpIoDPGt3OlmzPYmrbSon8ZWUz3b3jq-uVgwgEfPVIeCe495hjQ6NWRnEjp6RxTndY2AgGmhFiJvUzPid\
        aQwTnUS3rgCJePAWQlVjuOrS4fxzEd1kDF0AkjHhAQKmD2-FJr3SD6KbjEHG0iwGhq6CWSqEniBA1yuZpMkg\
        P2WZhZudw5AvGwDnNF4RuCEs1VKuIVw1C-KWVC7FJAdiJ86hlhS70GCHv0EE05Qa40mx11SrCe4WYgOxRRFA\
        MirECkzVBHbKoFpX8JxygtnKqgmMILGF2FQSQCIeuisz8jBCiNfCl00cA2faT6oMbsQTm4htZR1kybhQ9mWk\
        uasePLUO-PgyDfPvM4r6dqfSf7VP03T6mLcamjrDYDJX_X7Gu3diINIaAmfARveduPa8D7x1Tmi8vOMyVgcH\
        Fp7bHQlB05X64jMqARwnbOA7fbxYrwm7wBXg8bfzwJba0hvZs0LUAETaQnt-hy_6wR9xH5Az2ziow21UAXjD\
        DnD49vq3K2gH3vPnM0A45wGLjaUHwH_WrWxbZBjwN7jpAdg_-6UUt-Cg548tk0V5UFpdZnpWQMwpT9bkgkwP\
        wHomp7hPNrNFD0B2ZVN5n2WKABaml0HKl-5G29jlvk4v0QOQy4ow8-JLyfLTo3OQ25DoASBlaXYN3iY_QX5T\
        PFSGtBGZlfmsZiexpu8HiGFvHn-A2mZvMTey11iLuw3x97Uf6zD_LgOS-FPTZE7zFxzEwM8T3yt2-TfekRkA\
        KgsyVsAAMAAMgCMtvwDWxuMYUZtT-AAAAABJRU5ErkJggg
        """
}
