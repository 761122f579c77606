import type { AgentJob } from '@colophon/sdk'
import { Button, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { EmptyState } from '../../shown/empty-state.tsx'
import { ErrorAlert } from '../../shown/error-alert.tsx'
import { diffQuery } from '../job-queries.ts'
import classes from './changes.module.css'
import { groupByPath } from './lines-to-approve.ts'
import { type ChangedFile, type DiffLine, type Hunk, parseDiff } from './parse-diff.ts'

const maxOpenFiles = 10
const maxInitialLines = 300

export function Changes({ projectId, job }: { projectId: string; job: AgentJob }) {
  const { data, error, isPending } = useQuery(diffQuery(projectId, job.id, job.updatedAt))
  const files = useMemo(() => parseDiff(data?.diff ?? ''), [data])
  const linesToApprove = groupByPath(job.approval?.reasons ?? [])
  if (error) return <ErrorAlert error={error} title="The changes could not be loaded" />
  if (isPending) return <Skeleton height={160} />
  if (files.length === 0) return <EmptyState title="No changes">{describeNoChanges(job)}</EmptyState>
  const added = sum(files.map((file) => file.added))
  const removed = sum(files.map((file) => file.removed))
  return (
    <div className={classes.changes}>
      <Text size="sm" mb="sm">
        {files.length === 1 ? '1 file' : `${files.length} files`} changed, <Counts added={added} removed={removed} />
      </Text>
      {files.map((file, index) => (
        <File
          key={file.path}
          file={file}
          linesToApprove={linesToApprove.get(file.path)}
          isInitiallyOpen={index < maxOpenFiles || linesToApprove.has(file.path)}
        />
      ))}
    </div>
  )
}

function describeNoChanges({ status, outcome }: AgentJob): string {
  if (status === 'active') return 'Changes appear here when the turn has ended.'
  return outcome === 'rejected' ? 'The result was rejected, and nothing was pushed.' : 'The job changed no files.'
}

const sum = (numbers: readonly number[]) => numbers.reduce((left, right) => left + right, 0)

function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className={classes.counts}>
      <span className={classes.plus}>+{added}</span> <span className={classes.minus}>−{removed}</span>
    </span>
  )
}

const kindLabels = { added: 'new', deleted: 'deleted', renamed: 'renamed', changed: '' } as const

interface FileProps {
  file: ChangedFile
  /** Undefined: nothing in this file has to be approved. */
  linesToApprove: ReadonlySet<number> | undefined
}

function File({ file, linesToApprove, isInitiallyOpen }: FileProps & { isInitiallyOpen: boolean }) {
  const [isOpen, setOpen] = useState(isInitiallyOpen)
  return (
    <details className={classes.file} open={isInitiallyOpen} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>
        <span className={classes.path}>
          {file.oldPath && `${file.oldPath} → `}
          {file.path}
        </span>
        {kindLabels[file.kind] && <span>{kindLabels[file.kind]}</span>}
        {file.isBinary ? <span>binary</span> : <Counts added={file.added} removed={file.removed} />}
      </summary>
      {isOpen && <Lines file={file} linesToApprove={linesToApprove} />}
    </details>
  )
}

function Lines({ file, linesToApprove }: FileProps) {
  const total = sum(file.hunks.map(({ lines }) => lines.length))
  const isLong = total > maxInitialLines * 1.2
  const [isAllShown, setAllShown] = useState(!isLong || linesToApprove !== undefined)
  if (total === 0) {
    return (
      <Text size="sm" c="dimmed" p="sm">
        {file.isBinary ? 'Binary file.' : 'The content did not change.'}
      </Text>
    )
  }
  return (
    <>
      <table className={classes.lines} aria-label={`Changes in ${file.path}`}>
        <tbody>
          {truncateHunks(file.hunks, isAllShown ? total : maxInitialLines).map((hunk) => (
            <HunkRows key={hunk.header} hunk={hunk} linesToApprove={linesToApprove} />
          ))}
        </tbody>
      </table>
      {isLong && (
        <Button variant="subtle" size="compact-sm" m="xs" onClick={() => setAllShown(!isAllShown)}>
          {isAllShown ? 'Show fewer lines' : `Show all ${total.toLocaleString('en')} lines`}
        </Button>
      )}
    </>
  )
}

function truncateHunks(hunks: readonly Hunk[], maxLines: number): Hunk[] {
  let remaining = maxLines
  return hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, remaining)
    remaining -= lines.length
    return lines.length === 0 ? [] : [{ ...hunk, lines }]
  })
}

const signs: Readonly<Record<DiffLine['kind'], string>> = { added: '+', removed: '−', same: ' ', note: ' ' }

function HunkRows({ hunk, linesToApprove }: { hunk: Hunk; linesToApprove: FileProps['linesToApprove'] }) {
  const isToApprove = (newNumber: number | null) => newNumber !== null && linesToApprove?.has(newNumber) === true
  return (
    <>
      <tr className={classes.hunk}>
        <td colSpan={4}>{hunk.header}</td>
      </tr>
      {hunk.lines.map(({ kind, oldNumber, newNumber, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff never move
        <tr key={index} className={classes[kind]} data-to-approve={isToApprove(newNumber)}>
          <td className={`${classes.number} ${classes.old}`}>{oldNumber}</td>
          <td className={classes.number}>{newNumber}</td>
          <td className={classes.sign}>{signs[kind]}</td>
          <td className={classes.text}>{text}</td>
        </tr>
      ))}
    </>
  )
}
