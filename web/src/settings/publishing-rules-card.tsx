import type { PublishingRules } from '@colophon/sdk'
import { Alert, Button, Group, Radio, Stack, Switch, Textarea } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { findChangedRules, type PublishingRulesForm, toPublishingRulesForm } from './publishing-rules-form.ts'
import { SettingsCard } from './settings-card.tsx'
import { useChangePublishingRules } from './use-change-publishing-rules.ts'

export function PublishingRulesCard({
  projectId,
  rules,
  canChange,
}: {
  projectId: string
  rules: PublishingRules
  canChange: boolean
}) {
  const [form, setForm] = useState(() => toPublishingRulesForm(rules))
  const change = (changes: Partial<PublishingRulesForm>) => setForm((previous) => ({ ...previous, ...changes }))
  const save = useChangePublishingRules(projectId, 'Publishing rules saved.')
  const changes = findChangedRules(rules, form)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(changes)
  }
  return (
    <SettingsCard
      id="publishing-rules"
      title="Publishing rules"
      lead="What the agent may change, and what a person has to approve before it is pushed."
    >
      <form onSubmit={submit}>
        <Stack gap="lg">
          <PathFields form={form} onChange={change} canChange={canChange} />
          <ActiveContentField form={form} onChange={change} canChange={canChange} />
          <Switch
            label="Require approval before anything is pushed"
            description="An owner has to approve every result, including those of follow-up messages"
            checked={form.requireApproval}
            onChange={(event) => change({ requireApproval: event.currentTarget.checked })}
            disabled={!canChange}
          />
          <Switch
            label="Send failed CI checks back to the agent"
            description="At most twice per pull request. The cost counts toward the budget"
            checked={form.fixFailedChecks}
            onChange={(event) => change({ fixFailedChecks: event.currentTarget.checked })}
            disabled={!canChange}
          />
          <ErrorAlert error={save.error} title="The rules were not saved" />
          {canChange && (
            <Group>
              <Button type="submit" disabled={Object.keys(changes).length === 0} loading={save.isPending}>
                Save rules
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </SettingsCard>
  )
}

interface FieldProps {
  form: PublishingRulesForm
  onChange(changes: Partial<PublishingRulesForm>): void
  canChange: boolean
}

function PathFields({ form, onChange, canChange }: FieldProps) {
  return (
    <>
      <Textarea
        label="Further docs folders"
        description="One per line. The agent can change pages, images and the navigation in them, as in the docs folder"
        placeholder={canChange ? 'blog' : ''}
        autosize
        minRows={2}
        maxRows={10}
        value={form.furtherDocsFolders}
        onChange={(event) => onChange({ furtherDocsFolders: event.currentTarget.value })}
        readOnly={!canChange}
      />
      <Textarea
        label="Further allowed paths"
        description="One per line: a file, or a folder that ends with a slash. The agent can change everything there, including code, except for hidden files, which have to be named: only pages and images are checked for active content. CI configuration, CODEOWNERS, Git configuration and instructions for agents can never be changed"
        placeholder={canChange ? 'openapi.yaml\nexamples/' : ''}
        autosize
        minRows={2}
        maxRows={10}
        value={form.allowedPaths}
        onChange={(event) => onChange({ allowedPaths: event.currentTarget.value })}
        readOnly={!canChange}
      />
    </>
  )
}

function ActiveContentField({ form, onChange, canChange }: FieldProps) {
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Active content"
        description="New content that a build or a browser would execute, such as scripts, imports and template expressions"
        value={form.activeContent}
        onChange={(rule) => onChange({ activeContent: rule === 'hold' ? 'hold' : 'refuse' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="refuse"
            label="Refuse it"
            description="The job fails and lists what was refused"
            disabled={!canChange}
          />
          <Radio
            value="hold"
            label="Hold it for approval"
            description="Nothing is pushed until an owner approves the result"
            disabled={!canChange}
          />
        </Stack>
      </Radio.Group>
      {form.activeContent === 'hold' && (
        <Alert color="yellow" icon={<IconAlertTriangle />} title="Approved content is executed before the review">
          As soon as a pull request is opened, a docs build can run its active content with the secrets of CI, before
          anyone reviews the pull request. Owners have to read it carefully before they approve it.
        </Alert>
      )}
    </Stack>
  )
}
