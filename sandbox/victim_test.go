package sandbox

const victimVar = "GATE_TEST_VICTIM"

func victim() int { return 0 }
