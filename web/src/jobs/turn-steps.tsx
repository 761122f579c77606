import { Button, Stack, Text } from '@mantine/core'
import { memo, useState } from 'react'
import { Markdown } from '../shown/markdown.tsx'
import { parseToolArguments, type ToolCall, type TurnStep } from './timeline.ts'
import { formatDuration } from './turn-phases.ts'
import classes from './turn-steps.module.css'

/** In a long turn, the end matters most. Rendering the rest takes a moment, so it is shown on request. */
const initiallyShown = 150

export function TurnSteps({ steps, isLive }: { steps: readonly TurnStep[]; isLive: boolean }) {
  const [isAllShown, setAllShown] = useState(false)
  const shown = isAllShown ? steps : steps.slice(-initiallyShown)
  const earlierCount = steps.length - initiallyShown
  return (
    <Stack gap={2}>
      {earlierCount > 0 && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => setAllShown(!isAllShown)}
          mb="xs"
          style={{ alignSelf: 'start' }}
        >
          {isAllShown ? 'Hide' : 'Show'} {earlierCount.toLocaleString('en')} earlier steps
        </Button>
      )}
      {shown.map((step) => (
        <div key={step.id} className={classes.step}>
          {step.kind === 'tool_call' ? (
            <Call call={step} result={step.result} isLost={step.isLost || !isLive} />
          ) : step.kind === 'text' ? (
            <AgentText text={step.text} />
          ) : (
            <Text size="sm" c="dimmed" fs="italic" my={4}>
              {step.text}
            </Text>
          )}
        </div>
      ))}
    </Stack>
  )
}

const AgentText = memo(({ text }: { text: string }) => <Markdown text={text} />)

/** The steps are rebuilt with every event, so the comparison looks only at what changes how a call is shown. */
const Call = memo(
  ({ call, result, isLost }: { call: ToolCall; result: ToolCall['result']; isLost: boolean }) => {
    const [isOpen, setOpen] = useState(false)
    const isError = result?.isError === true
    return (
      <details className={classes.call} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
        <summary>
          <span className={classes.tool}>{call.tool}</span>
          <span className={classes.subject}>{call.subject}</span>
          {isError && <span className={`${classes.duration} ${classes.failed}`}>failed</span>}
          <span className={classes.duration}>
            {result ? formatDuration(result.durationMs) : isLost ? 'no result' : 'running …'}
          </span>
        </summary>
        {isOpen && <CallDetails call={call} result={result} />}
      </details>
    )
  },
  (previous, next) =>
    previous.call.id === next.call.id &&
    previous.result?.durationMs === next.result?.durationMs &&
    previous.isLost === next.isLost,
)

function CallDetails({ call, result }: { call: ToolCall; result: ToolCall['result'] }) {
  return (
    <div className={classes.details}>
      {parseToolArguments(call.input).map(([name, value]) => (
        <LabeledText key={name} name={name} text={value} />
      ))}
      {result && <LabeledText name={result.isError ? 'Output (failed)' : 'Output'} text={result.output || '(empty)'} />}
    </div>
  )
}

function LabeledText({ name, text }: { name: string; text: string }) {
  return (
    <>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be focusable */}
      <section className={classes.text} tabIndex={0} aria-label={name}>
        {text}
      </section>
    </>
  )
}
