import type { ProjectSetup } from '@colophon/sdk'
import { Accordion, Group, Paper, Progress, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import type { MyProject } from './project.ts'
import styles from './setup-checklist.module.css'
import { SetupStepAction } from './setup-step-action.tsx'
import { setupStepTexts } from './setup-step-texts.ts'
import { findRemainingSetupSteps, isSetupStepDone, type SetupStepId, setupStepGroups } from './setup-steps.ts'

export function SetupChecklist({ project, setup }: { project: MyProject; setup: ProjectSetup }) {
  return (
    <Stack gap="xl" mb="xl">
      {setupStepGroups.map((journey) => (
        <Journey key={journey.title} {...journey} project={project} setup={setup} />
      ))}
    </Stack>
  )
}

interface JourneyProps {
  title: string
  steps: readonly SetupStepId[]
  project: MyProject
  setup: ProjectSetup
}

/** The next step is open by default. Steps that the user opened or closed stay that way. */
function Journey({ title, steps, project, setup }: JourneyProps) {
  const [toggled, setToggled] = useState<Partial<Record<SetupStepId, boolean>>>({})
  const remaining = findRemainingSetupSteps(steps, setup)
  const open = steps.filter((step) => toggled[step] ?? step === remaining[0])
  const toggle = (next: string[]) => {
    const changed = steps.filter((step) => open.includes(step) !== next.includes(step))
    setToggled({ ...toggled, ...Object.fromEntries(changed.map((step) => [step, next.includes(step)])) })
  }
  const done = steps.length - remaining.length
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
      <Accordion multiple value={open} onChange={toggle} order={3} chevronPosition="right" classNames={styles}>
        {steps.map((step, index) => (
          <Accordion.Item key={step} value={step}>
            <Accordion.Control icon={<Tick isDone={isSetupStepDone(step, setup)} number={index + 1} />}>
              {setupStepTexts[step].title}
              <span className={styles.outcome}>{setupStepTexts[step].outcome(setup)}</span>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="sm" align="stretch">
                <Text size="sm" c="dimmed">
                  {setupStepTexts[step].description}
                </Text>
                <SetupStepAction step={step} project={project} setup={setup} />
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
