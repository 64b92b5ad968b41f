package batch

// What tests look at besides what programs can.

func (p *Partial) Answer() interface{ MarshalBinary() ([]byte, error) } { return p.answer }

func IsDivisible(q Question) bool { return q.isDivisible() }

func UnmarshalAnswer(q Question, data []byte) error {
	_, err := q.unmarshal(data)
	return err
}
