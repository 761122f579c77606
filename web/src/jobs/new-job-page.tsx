import { ColophonError, type CreateJobData } from '@colophon/sdk'
import {
  Button,
  Checkbox,
  Collapse,
  Container,
  Group,
  Paper,
  Radio,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { getHotkeyHandler, useDisclosure } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { client } from '../app/client.ts'
import { IdempotencyKeyGenerator } from '../app/idempotency-key-generator.ts'
import { canEdit, useProject } from '../projects/project.ts'
import { EmptyState } from '../shown/empty-state.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { ModelSelect } from './model-select.tsx'
import { RequestErrorAlert } from './request-error-alert.tsx'

type JobInput = CreateJobData['body']

const route = getRouteApi('/signed-in/projects/$projectId/jobs/new')

export function NewJobPage() {
  const project = useProject()
  return (
    <Container size="sm" px={0} ml={0}>
      <PageHeader
        title="New job"
        lead="Describe what to change. The agent reads the repository, edits pages and checks them."
      />
      {canEdit(project) ? (
        <NewJobForm projectId={project.id} />
      ) : (
        <EmptyState title="You have read-only access">
          To create jobs, ask an owner of the project to make you an editor.
        </EmptyState>
      )}
    </Container>
  )
}

function NewJobForm({ projectId }: { projectId: string }) {
  const navigate = route.useNavigate()
  const queryClient = useQueryClient()
  const [input, setInput] = useState<JobInput>({ prompt: '', publish: 'pull_request' })
  const [isMoreOpen, more] = useDisclosure(false)
  const idempotency = useRef(new IdempotencyKeyGenerator())
  const create = useMutation({
    mutationFn: (body: JobInput) =>
      client.jobs.create(projectId, body, { idempotencyKey: idempotency.current.keyFor(body) }),
    onSuccess: ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: ['jobs', projectId] })
      void navigate({ to: '/projects/$projectId/jobs/$jobId', params: { projectId, jobId: id } })
    },
    onError: (error) => {
      if (invalidFields(error).some((field) => field === 'ref' || field === 'title')) more.open()
    },
  })
  const change = (changes: Partial<JobInput>) => setInput((previous) => ({ ...previous, ...changes }))
  const errorAt = (field: keyof JobInput) => fieldError(create.error, field)
  const hasFieldErrors = invalidFields(create.error).some((field) => formFields.includes(field))
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (!create.isPending && input.prompt.trim() !== '') create.mutate(withoutEmpty(input))
  }

  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }} component="form" onSubmit={submit}>
      <Stack gap="lg">
        <Textarea
          label="What should the agent do?"
          placeholder="Explain in the quickstart how to pass a proxy, with an example for Docker."
          autosize
          minRows={6}
          maxRows={20}
          maxLength={50_000}
          required
          autoFocus
          value={input.prompt}
          onChange={({ currentTarget: { value } }) => change({ prompt: value })}
          onKeyDown={getHotkeyHandler([['mod+Enter', () => submit()]])}
          error={errorAt('prompt')}
        />
        <ModelSelect
          projectId={projectId}
          model={input.model ?? ''}
          onChange={(model) => change({ model })}
          error={errorAt('model')}
        />
        <Radio.Group
          label="Result"
          value={input.publish ?? 'pull_request'}
          onChange={(publish) => change({ publish: publish === 'diff' ? 'diff' : 'pull_request' })}
          error={errorAt('publish')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="pull_request" label="Pull request" description="Opened from a new branch, for review" />
            <Radio value="diff" label="Diff only" description="Shown here. Nothing is pushed" />
          </Stack>
        </Radio.Group>
        {input.publish !== 'diff' && (
          <Checkbox
            label="Open the pull request as a draft"
            checked={input.draft ?? false}
            onChange={({ currentTarget: { checked } }) => change({ draft: checked })}
          />
        )}
        <div>
          <Button
            variant="subtle"
            size="compact-sm"
            ml={-8}
            onClick={more.toggle}
            aria-expanded={isMoreOpen}
            rightSection={<IconChevronDown size={14} aria-hidden style={{ rotate: isMoreOpen ? '180deg' : '0deg' }} />}
          >
            {isMoreOpen ? 'Fewer options' : 'More options'}
          </Button>
          <Collapse expanded={isMoreOpen}>
            <Stack gap="md" mt="sm">
              <TextInput
                label="Base branch"
                description="Leave empty to use the base branch of the project"
                value={input.ref ?? ''}
                maxLength={200}
                onChange={({ currentTarget: { value } }) => change({ ref: value })}
                error={errorAt('ref')}
              />
              <TextInput
                label="Title"
                description="Used for the job and the pull request. Leave empty to let the agent choose"
                value={input.title ?? ''}
                maxLength={200}
                onChange={({ currentTarget: { value } }) => change({ title: value })}
                error={errorAt('title')}
              />
            </Stack>
          </Collapse>
        </div>
        {!hasFieldErrors && (
          <RequestErrorAlert projectId={projectId} error={create.error} title="The job was not created" />
        )}
        <Group justify="space-between">
          <Text size="sm" c="dimmed" visibleFrom="sm">
            Press Ctrl+Enter to create the job
          </Text>
          <Button type="submit" loading={create.isPending} disabled={input.prompt.trim() === ''}>
            Create job
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

const formFields: readonly string[] = ['prompt', 'model', 'publish', 'ref', 'title'] satisfies (keyof JobInput)[]

const invalidFields = (error: unknown): string[] =>
  error instanceof ColophonError ? error.errors.map(({ path }) => path.replace('body/', '')) : []

function fieldError(error: unknown, field: keyof JobInput): string | undefined {
  if (!(error instanceof ColophonError)) return undefined
  const fieldProblem = error.errors.find(({ path }) => path === `body/${field}`)
  return fieldProblem && (field === 'ref' ? 'This is not a valid branch name.' : toSentence(fieldProblem.message))
}

const toSentence = (text: string) => `This ${text.replace(/\.?$/, '.')}`

const withoutEmpty = ({ ref, title, draft, model, ...rest }: JobInput): JobInput => ({
  ...rest,
  ...(model && { model }),
  ...(ref?.trim() && { ref: ref.trim() }),
  ...(title?.trim() && { title: title.trim() }),
  ...(draft && rest.publish !== 'diff' && { draft }),
})
