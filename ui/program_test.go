package ui_test

const sceneVariable = "GEODECK_TEST_SCENE"

func play(string) int { return 0 }
