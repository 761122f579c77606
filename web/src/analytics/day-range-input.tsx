import { DatePickerInput } from '@mantine/dates'
import { useState } from 'react'
import '@mantine/dates/styles.css'
import { type CalendarDay, toCalendarDay } from './zoned-days.ts'

export function DayRangeInput({
  days,
  zone,
  onChange,
}: {
  days: [CalendarDay, CalendarDay]
  zone: string
  onChange: (days: [CalendarDay, CalendarDay]) => void
}) {
  // Between the first and the second click, the range is incomplete.
  const [picked, setPicked] = useState<[CalendarDay | null, CalendarDay | null]>(days)
  return (
    <DatePickerInput
      type="range"
      label="Days"
      value={picked}
      allowSingleDateInRange
      w={250}
      valueFormat="D MMM YYYY"
      maxDate={toCalendarDay(new Date(), zone)}
      onChange={(value) => {
        setPicked(value)
        const [from, to] = value
        if (from !== null && to !== null) onChange([from, to])
      }}
    />
  )
}
