package simulator

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The site keeps no log: what it shows is made of what it did, its jobs, its upgrades and the
// components that do not work.

// logLevels are the levels of messages, the most severe first.
var logLevels = []string{"SEVERE", "WARNING", "INFO", "FINE", "VERBOSE", "DEBUG"}

// logMessage is an entry of the log.
type logMessage struct {
	Level       string `json:"type"`
	Message     string `json:"message"`
	Time        int64  `json:"time"`
	Source      string `json:"source"`
	Code        int    `json:"code"`
	User        string `json:"user"`
	RequestID   string `json:"requestID"`
	ServiceType string `json:"serviceType"`
}

// queryLogs gives the messages that all filters leave, the newest first: startTime is the newest
// time of a message, endTime the oldest.
func (a *platform) queryLogs(q *request) any {
	least := slices.Index(logLevels, cmp.Or(q.single("logLevel"), "INFO")) // as the settings say
	if least < 0 {
		q.refuse(notAllowed("logLevel is one of " + strings.Join(logLevels, ", ")))
	}
	newest, oldest := q.logTime("startTime", q.now), q.logTime("endTime", time.Time{})
	wanted := func(parameter, value string) bool {
		list := q.list(parameter)
		return len(list) == 0 || slices.Contains(list, value)
	}
	list := only(a.logMessages(q.now), func(m logMessage) bool {
		return slices.Index(logLevels, m.Level) <= least && m.Time <= millis(newest) && m.Time >= millis(oldest) &&
			wanted("source", m.Source) && wanted("logCode", strconv.Itoa(m.Code)) && wanted("users", m.User) &&
			wanted("requestIDs", m.RequestID) && wanted("serviceTypes", m.ServiceType)
	})
	slices.SortStableFunc(list, func(a, b logMessage) int { return cmp.Compare(b.Time, a.Time) })
	return page(q, "messages", list)
}

// logTime reads a time in UTC, such as 2026-11-20T12:00:00, or in milliseconds.
func (q *request) logTime(name string, otherwise time.Time) time.Time {
	text := q.single(name)
	if text == "" {
		return otherwise
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.UnixMilli(ms)
	}
	at, err := time.Parse("2006-01-02T15:04:05", text)
	if err != nil {
		q.refuse(notAllowed(name + " is " + strconv.Quote(text) + "; milliseconds, or a time such as 2026-11-20T12:00:00"))
	}
	return at
}

// logMessages are all that the site recorded until now.
func (a *platform) logMessages(now time.Time) (list []logMessage) {
	for _, c := range a.components {
		m := logMessage{Level: "WARNING", Message: cmp.Or(c.message, c.Title+" is "+c.state+"."), Time: millis(a.started), Source: c.Image}
		switch c.state {
		case working:
			continue
		case stopped:
			m.Level = logLevels[0]
		}
		list = append(list, m)
	}
	for _, j := range a.jobs.list {
		list = append(list, j.logged(now)...)
	}
	for _, run := range a.upgrades.past {
		var recorded []struct {
			Code    int
			Message string
			When    int64
		}
		text := slices.Concat([]byte("["), run.log.first(run.log.by(now)), []byte("]"))
		_ = json.Unmarshal(text, &recorded) // messages of a scenario may be of any form
		for _, m := range recorded {
			list = append(list, logMessage{Level: "INFO", Message: m.Message, Time: m.When, Source: "upgrade", Code: m.Code, User: run.user})
		}
	}
	return list
}

// logged are the messages about a job: its begin and its end.
func (j *job) logged(now time.Time) []logMessage {
	_, below, _ := strings.Cut(j.operation, ".")
	kind, _, _ := strings.Cut(below, "/")
	begin := logMessage{Level: "INFO", Message: j.operation + " was submitted.", Time: millis(j.submitted), Source: "enterprise-admin-api",
		User: j.username, RequestID: j.requestID, ServiceType: kind}
	if now.Before(j.ends) {
		return []logMessage{begin}
	}
	end, status := begin, j.status(now)
	end.Time, end.Message = millis(j.ends), strings.Join(append([]string{j.operation + " ended: " + status + "."}, j.messages...), " ")
	if status != jobCompleted {
		end.Level = logLevels[0]
	}
	return []logMessage{begin, end}
}
