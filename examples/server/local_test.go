package main

import (
	"maps"
	"testing"
)

// A service that is played again does not take a task of an earlier process for its own.
func TestLocalTasksAreNotMixedUp(t *testing.T) {
	t.Parallel()
	env := map[string]string{"WEBOFFICE_DATA": t.TempDir()}
	tasks := map[string]bool{}
	for range 2 {
		s := start(t, maps.Clone(env))
		s.await(s.post("/api/v1/conversions", `{"file_id":"`+s.sample+`","target":"txt"}`), stateDone)
		for _, submitted := range s.local.service.Submissions() {
			if id := submitted.Task.ID; tasks[id] {
				t.Errorf("task %s was made by two processes", id)
			} else {
				tasks[id] = true
			}
		}
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
	}
	if len(tasks) != 2 {
		t.Errorf("%d tasks, want two", len(tasks))
	}
}
