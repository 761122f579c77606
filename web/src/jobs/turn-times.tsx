import type { JobMessage } from '@colophon/sdk'
import { Group, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { durationInWords, type StepTime, stepTimesOf } from './step-times.ts'
import classes from './steps.module.css'

const names: Readonly<Record<StepTime['step'], { past: string; now: string }>> = {
  waited: { past: 'Waited', now: 'Waiting' },
  worked: { past: 'Worked', now: 'Working' },
  published: { past: 'Published', now: 'Publishing' },
}

export function TurnTimes({ message }: { message: JobMessage }) {
  const now = useNow(message.endedAt === null)
  const steps = stepTimesOf(message, now)
  return (
    <div>
      <div className={classes.bar} aria-hidden>
        {steps.map(({ step, milliseconds }) => (
          <span key={step} className={classes[step]} style={{ flexGrow: milliseconds }} />
        ))}
      </div>
      <Group gap="md" mt={4}>
        {steps.map(({ step, milliseconds, isNow }) => (
          <Text key={step} size="xs" c="dimmed">
            <span className={`${classes.dot} ${classes[step]}`} aria-hidden />
            {isNow ? names[step].now : names[step].past} {durationInWords(milliseconds)}
          </Text>
        ))}
      </Group>
    </div>
  )
}

function useNow(isRunning: boolean): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(new Date()), 1_000)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}
