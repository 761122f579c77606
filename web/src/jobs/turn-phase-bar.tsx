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

/** A result that was held for approval was only checked. */
const toPastLabel = (phase: TurnPhase['phase'], { outcome }: JobMessage): string =>
  phase === 'published' && (outcome === 'awaiting_approval' || outcome === 'rejected')
    ? 'Checked in'
    : labels[phase].past

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
            {isCurrent ? labels[phase].present : toPastLabel(phase, message)} {formatDuration(durationMs)}
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
