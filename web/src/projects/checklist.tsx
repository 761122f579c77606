import type { ProjectSetup } from '@colophon/sdk'
import { Accordion, Group, Paper, Progress, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import styles from './checklist.module.css'
import type { ProjectOfMine } from './project.ts'
import { StepAction } from './step-action.tsx'
import { stepWords } from './step-words.ts'
import { isStepDone, journeys, type StepId, stepsLeft } from './steps.ts'

export function Checklist({ project, setup }: { project: ProjectOfMine; setup: ProjectSetup }) {
  return (
    <Stack gap="xl" mb="xl">
      {journeys.map((journey) => (
        <Journey key={journey.title} {...journey} project={project} setup={setup} />
      ))}
    </Stack>
  )
}

interface JourneyProps {
  title: string
  steps: readonly StepId[]
  project: ProjectOfMine
  setup: ProjectSetup
}

/** The next step is open by itself; what somebody opened or closed stays as they left it. */
function Journey({ title, steps, project, setup }: JourneyProps) {
  const [chosen, setChosen] = useState<Partial<Record<StepId, boolean>>>({})
  const left = stepsLeft(steps, setup)
  const open = steps.filter((step) => chosen[step] ?? step === left[0])
  const choose = (next: string[]) => {
    const changed = steps.filter((step) => open.includes(step) !== next.includes(step))
    setChosen({ ...chosen, ...Object.fromEntries(changed.map((step) => [step, next.includes(step)])) })
  }
  const done = steps.length - left.length
  return (
    <Paper withBorder radius="md" component="section" aria-label={title}>
      <Stack p="lg" pb="sm" gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <Title order={2} size="h3">
            {title}
          </Title>
          <Text size="sm" c="dimmed" role="status" style={{ flex: 'none' }}>
            {done} of {steps.length} done
          </Text>
        </Group>
        <Progress value={(100 * done) / steps.length} size="xs" color="var(--good)" aria-label={title} />
      </Stack>
      <Accordion multiple value={open} onChange={choose} order={3} chevronPosition="right" classNames={styles}>
        {steps.map((step, index) => (
          <Accordion.Item key={step} value={step}>
            <Accordion.Control icon={<Tick isDone={isStepDone(step, setup)} number={index + 1} />}>
              {stepWords[step].title}
              <span className={styles.outcome}>{stepWords[step].outcome(setup)}</span>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="sm" align="stretch">
                <Text size="sm" c="dimmed">
                  {stepWords[step].why}
                </Text>
                <StepAction step={step} project={project} setup={setup} />
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Paper>
  )
}

const Tick = ({ isDone, number }: { isDone: boolean; number: number }) => (
  <ThemeIcon
    size={26}
    radius="xl"
    variant={isDone ? 'filled' : 'default'}
    color={isDone ? 'var(--good)' : 'gray'}
    role="img"
    aria-label={isDone ? 'done' : 'to do'}
  >
    {isDone ? <IconCheck size={16} stroke={2.5} /> : <span className={styles.number}>{number}</span>}
  </ThemeIcon>
)
