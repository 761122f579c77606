import type { JobMessage } from '@colophon/sdk'
import { Group, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { formatDuration, type TurnPhase, toTurnPhases } from './turn-phases.ts'
import classes from './turn-steps.module.css'

const labels: Readonly<Record<TurnPhase['phase'], { past: string; present: string }>> = {
  waited: { past: 'Waited', present: 'Waiting' },
  worked: { past: 'Worked', present: 'Working' },
  published: { past: 'Published in', present: 'Publishing' },
}

export function TurnPhaseBar({ message }: { message: JobMessage }) {
  const now = useNow(message.endedAt === null)
  const phases = toTurnPhases(message, now)
  return (
    <div>
      <div className={classes.bar} aria-hidden>
        {phases.map(({ phase, durationMs }) => (
          <span key={phase} className={classes[phase]} style={{ flexGrow: durationMs }} />
        ))}
      </div>
      <Group gap="md" mt={4}>
        {phases.map(({ phase, durationMs, isCurrent }) => (
          <Text key={phase} size="xs" c="dimmed">
            <span className={`${classes.dot} ${classes[phase]}`} aria-hidden />
            {isCurrent ? labels[phase].present : labels[phase].past} {formatDuration(durationMs)}
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
