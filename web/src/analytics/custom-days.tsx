import { DatePickerInput } from '@mantine/dates'
import { useState } from 'react'
import '@mantine/dates/styles.css'
import { type Day, dayOf } from './zoned-days.ts'

export function CustomDays({
  days,
  zone,
  onChange,
}: {
  days: [Day, Day]
  zone: string
  onChange: (days: [Day, Day]) => void
}) {
  // Between the first and the second click, the range is incomplete.
  const [picked, setPicked] = useState<[Day | null, Day | null]>(days)
  return (
    <DatePickerInput
      type="range"
      label="Days"
      value={picked}
      allowSingleDateInRange
      w={250}
      valueFormat="D MMM YYYY"
      maxDate={dayOf(new Date(), zone)}
      onChange={(value) => {
        setPicked(value)
        const [from, to] = value
        if (from !== null && to !== null) onChange([from, to])
      }}
    />
  )
}
