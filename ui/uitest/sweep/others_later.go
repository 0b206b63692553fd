package sweep

import (
	"fmt"
)

// othersMeanwhile lets others change something while the review is open, on a third of the days, up to three times: the site
// has it by the last comparison before the sending.
func (c *changing) othersMeanwhile(s *screen) {
	day := s.run.machine.day
	r := day.random("others meanwhile")
	if times := r.IntN(9); c.m != s.run.machine || day.Want != "edit" && day.Want != outside || times > 2 || c.later > times {
		return
	}
	c.later++
	day.plan.foreign = true
	day.meet(fmt.Sprintf("others change something while a review is open, time %d", c.later))
	switch day.random(fmt.Sprint("others meanwhile ", c.later)).IntN(3) {
	case 0:
		s.run.machine.intrude("maxIdleTime", fmt.Sprint(300+c.later))
	case 1:
		s.run.machine.intrude("description", fmt.Sprintf(`"reviewed by another, %d"`, c.later))
	default:
		s.run.machine.othersEdit(day.secretChange(c.later))
	}
}
