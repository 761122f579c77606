import { Button, Stack, Text } from '@mantine/core'
import { memo, useState } from 'react'
import { Markdown } from '../shown/markdown.tsx'
import { durationInWords } from './step-times.ts'
import classes from './steps.module.css'
import { inputFields, type Step, type ToolCall } from './timeline.ts'

/** Of a long turn the end is what people look for; drawing the rest takes a moment and is asked for. */
const shownAtFirst = 150

export function Steps({ steps, isLive }: { steps: readonly Step[]; isLive: boolean }) {
  const [isAllShown, setAllShown] = useState(false)
  const shown = isAllShown ? steps : steps.slice(-shownAtFirst)
  const earlier = steps.length - shownAtFirst
  return (
    <Stack gap={2}>
      {earlier > 0 && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => setAllShown(!isAllShown)}
          mb="xs"
          style={{ alignSelf: 'start' }}
        >
          {isAllShown ? 'Hide' : 'Show'} {earlier.toLocaleString('en')} earlier steps
        </Button>
      )}
      {shown.map((step) => (
        <div key={step.id} className={classes.step}>
          {step.kind === 'called' ? (
            <Call call={step} result={step.result} isLost={step.isLost || !isLive} />
          ) : step.kind === 'said' ? (
            <Said text={step.text} />
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

const Said = memo(({ text }: { text: string }) => <Markdown text={text} />)

/** Steps are read anew with every event: what makes a call look different is given by itself. */
const Call = memo(
  ({ call, result, isLost }: { call: ToolCall; result: ToolCall['result']; isLost: boolean }) => {
    const [isOpen, setOpen] = useState(false)
    const failed = result?.failed === true
    return (
      <details className={classes.call} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
        <summary>
          <span className={classes.tool}>{call.tool}</span>
          <span className={classes.on}>{call.on}</span>
          {failed && <span className={`${classes.took} ${classes.failed}`}>failed</span>}
          <span className={classes.took}>
            {result ? durationInWords(result.tookMs) : isLost ? 'no result' : 'running …'}
          </span>
        </summary>
        {isOpen && <Inside call={call} result={result} />}
      </details>
    )
  },
  (before, after) =>
    before.call.id === after.call.id &&
    before.result?.tookMs === after.result?.tookMs &&
    before.isLost === after.isLost,
)

function Inside({ call, result }: { call: ToolCall; result: ToolCall['result'] }) {
  return (
    <div className={classes.inside}>
      {inputFields(call.input).map(([name, value]) => (
        <Shown key={name} name={name} text={value} />
      ))}
      {result && <Shown name={result.failed ? 'Output (failed)' : 'Output'} text={result.output || '(empty)'} />}
    </div>
  )
}

function Shown({ name, text }: { name: string; text: string }) {
  return (
    <>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and has to by keyboard too */}
      <section className={classes.text} tabIndex={0} aria-label={name}>
        {text}
      </section>
    </>
  )
}
