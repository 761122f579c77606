# Generated from the API description: run `npm run python-client`.
"""Every request that an API key can make. `Colophon.call` and `AsyncColophon.call` send them."""

from __future__ import annotations

from . import types
from ._operation import Download, Operation


def create_job(project_id: str, body: types.CreateJobRequest) -> Operation[types.AgentJob]:
    """Create an agent job."""
    return Operation(
        "POST",
        "/v2/agent/{projectId}/job",
        path={"projectId": project_id},
        body=body,
        takes_idempotency_key=True,
    )


def get_job(project_id: str, id: str) -> Operation[types.AgentJob]:
    """Get an agent job."""
    return Operation(
        "GET",
        "/v2/agent/{projectId}/job/{id}",
        path={"projectId": project_id, "id": id},
    )


def send_message(project_id: str, id: str, body: types.SendMessageRequest) -> Operation[types.AgentJob]:
    """Send a message to an agent job."""
    return Operation(
        "POST",
        "/v2/agent/{projectId}/job/{id}/message",
        path={"projectId": project_id, "id": id},
        body=body,
        takes_idempotency_key=True,
    )


def list_jobs(project_id: str, query: types.ListJobsParametersQuery | None = None) -> Operation[types.ListJobsResponse]:
    """List agent jobs."""
    return Operation(
        "GET",
        "/v2/agent/{projectId}/jobs",
        path={"projectId": project_id},
        query=query or {},
    )


def list_messages(project_id: str, id: str, query: types.ListMessagesParametersQuery | None = None) -> Operation[types.ListMessagesResponse]:
    """List messages of an agent job."""
    return Operation(
        "GET",
        "/v2/agent/{projectId}/job/{id}/messages",
        path={"projectId": project_id, "id": id},
        query=query or {},
    )


def get_diff(project_id: str, id: str) -> Operation[types.GetDiffResponse]:
    """Get the diff of an agent job."""
    return Operation(
        "GET",
        "/v2/agent/{projectId}/job/{id}/diff",
        path={"projectId": project_id, "id": id},
    )


def approve_result(project_id: str, id: str, body: types.ApproveResultRequest) -> Operation[types.AgentJob]:
    """Approve a result."""
    return Operation(
        "POST",
        "/v2/agent/{projectId}/job/{id}/approve",
        path={"projectId": project_id, "id": id},
        body=body,
    )


def reject_result(project_id: str, id: str, body: types.RejectResultRequest) -> Operation[types.AgentJob]:
    """Reject a result."""
    return Operation(
        "POST",
        "/v2/agent/{projectId}/job/{id}/reject",
        path={"projectId": project_id, "id": id},
        body=body,
    )


def list_events(project_id: str, id: str, query: types.ListEventsParametersQuery | None = None) -> Operation[types.ListEventsResponse]:
    """List events of an agent job."""
    return Operation(
        "GET",
        "/v2/agent/{projectId}/job/{id}/events",
        path={"projectId": project_id, "id": id},
        query=query or {},
    )


def cancel_job(project_id: str, id: str) -> Operation[types.AgentJob]:
    """Cancel an agent job."""
    return Operation(
        "POST",
        "/v2/agent/{projectId}/job/{id}/cancel",
        path={"projectId": project_id, "id": id},
    )


def archive_job(project_id: str, id: str) -> Operation[types.AgentJob]:
    """Archive an agent job."""
    return Operation(
        "POST",
        "/v2/agent/{projectId}/job/{id}/archive",
        path={"projectId": project_id, "id": id},
    )


def list_models(project_id: str) -> Operation[types.ListModelsResponse]:
    """List models."""
    return Operation(
        "GET",
        "/v2/agent/{projectId}/models",
        path={"projectId": project_id},
    )


def test_project_model(project_id: str, body: types.TestProjectModelRequest) -> Operation[types.ModelTest]:
    """Test a model of a project."""
    return Operation(
        "POST",
        "/v2/agent/{projectId}/models/test",
        path={"projectId": project_id},
        body=body,
    )


def ingest_views(project_id: str, body: types.IngestViewsRequest) -> Operation[types.IngestedViews]:
    """Ingest page views from a server."""
    return Operation(
        "POST",
        "/v1/ingest/{projectId}/views",
        path={"projectId": project_id},
        body=body,
        takes_idempotency_key=True,
    )


def list_views(project_id: str, query: types.ListViewsParametersQuery | None = None) -> Operation[types.ViewsResult]:
    """Get page views by page."""
    return Operation(
        "GET",
        "/v1/analytics/{projectId}/views",
        path={"projectId": project_id},
        query=query or {},
    )


def export_views(project_id: str, query: types.ExportViewsParametersQuery | None = None) -> Download:
    """Export page views as CSV."""
    return Download(
        "/v1/analytics/{projectId}/views.csv",
        "text/csv",
        path={"projectId": project_id},
        query=query or {},
    )


def get_view_timeseries(project_id: str, query: types.GetViewTimeseriesParametersQuery | None = None) -> Operation[types.ViewsTimeseries]:
    """Get page views over time."""
    return Operation(
        "GET",
        "/v1/analytics/{projectId}/views/timeseries",
        path={"projectId": project_id},
        query=query or {},
    )


def list_clients(project_id: str, query: types.ListClientsParametersQuery | None = None) -> Operation[types.ListClientsResponse]:
    """Get page views by client."""
    return Operation(
        "GET",
        "/v1/analytics/{projectId}/clients",
        path={"projectId": project_id},
        query=query or {},
    )


def get_coverage(project_id: str, query: types.GetCoverageParametersQuery | None = None) -> Operation[types.GetCoverageResponse]:
    """Get coverage."""
    return Operation(
        "GET",
        "/v1/analytics/{projectId}/coverage",
        path={"projectId": project_id},
        query=query or {},
    )


def list_sources(project_id: str) -> Operation[types.ViewSources]:
    """List sources of page views."""
    return Operation(
        "GET",
        "/v1/analytics/{projectId}/sources",
        path={"projectId": project_id},
    )


def list_live_events(project_id: str) -> Operation[types.ListLiveEventsResponse]:
    """List live events."""
    return Operation(
        "GET",
        "/v1/analytics/{projectId}/live-events",
        path={"projectId": project_id},
    )


def classify_client(project_id: str, query: types.ClassifyClientParametersQuery | None = None) -> Operation[types.ClientClassification]:
    """Classify a client."""
    return Operation(
        "GET",
        "/v1/analytics/{projectId}/classify",
        path={"projectId": project_id},
        query=query or {},
    )


def get_analytics_settings(project_id: str) -> Operation[types.AnalyticsSettings]:
    """Get analytics settings."""
    return Operation(
        "GET",
        "/v1/analytics/{projectId}/settings",
        path={"projectId": project_id},
    )


def change_analytics_settings(project_id: str, body: types.ChangeAnalyticsSettingsRequest) -> Operation[types.AnalyticsSettings]:
    """Change analytics settings."""
    return Operation(
        "PATCH",
        "/v1/analytics/{projectId}/settings",
        path={"projectId": project_id},
        body=body,
    )


def list_site_keys(project_id: str) -> Operation[types.ListSiteKeysResponse]:
    """List site keys."""
    return Operation(
        "GET",
        "/v1/analytics/{projectId}/site-keys",
        path={"projectId": project_id},
    )


def create_site_key(project_id: str) -> Operation[types.CreatedSiteKey]:
    """Create a site key."""
    return Operation(
        "POST",
        "/v1/analytics/{projectId}/site-keys",
        path={"projectId": project_id},
    )


def revoke_site_key(project_id: str, site_key: str) -> Operation[types.SiteKey]:
    """Revoke a site key."""
    return Operation(
        "DELETE",
        "/v1/analytics/{projectId}/site-keys/{siteKey}",
        path={"projectId": project_id, "siteKey": site_key},
    )


def list_log_drains(project_id: str) -> Operation[types.ListLogDrainsResponse]:
    """List log drains."""
    return Operation(
        "GET",
        "/v1/analytics/{projectId}/log-drains",
        path={"projectId": project_id},
    )


def create_log_drain(project_id: str, body: types.CreateLogDrainRequest) -> Operation[types.CreatedLogDrain]:
    """Create a log drain."""
    return Operation(
        "POST",
        "/v1/analytics/{projectId}/log-drains",
        path={"projectId": project_id},
        body=body,
    )


def change_log_drain(project_id: str, log_drain_id: str, body: types.ChangeLogDrainRequest) -> Operation[types.LogDrain]:
    """Change a log drain."""
    return Operation(
        "PATCH",
        "/v1/analytics/{projectId}/log-drains/{logDrainId}",
        path={"projectId": project_id, "logDrainId": log_drain_id},
        body=body,
    )


def delete_log_drain(project_id: str, log_drain_id: str) -> Operation[types.DeleteLogDrainResponse]:
    """Delete a log drain."""
    return Operation(
        "DELETE",
        "/v1/analytics/{projectId}/log-drains/{logDrainId}",
        path={"projectId": project_id, "logDrainId": log_drain_id},
    )


def get_me() -> Operation[types.Me]:
    """Get your API key."""
    return Operation(
        "GET",
        "/v2/me",
    )


def list_keys(project_id: str, query: types.ListKeysParametersQuery | None = None) -> Operation[types.ListKeysResponse]:
    """List API keys."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/keys",
        path={"projectId": project_id},
        query=query or {},
    )


def create_key(project_id: str, body: types.CreateKeyRequest) -> Operation[types.CreateKeyResponse]:
    """Create an API key."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/keys",
        path={"projectId": project_id},
        body=body,
    )


def revoke_key(project_id: str, key_id: str) -> Operation[types.ApiKey]:
    """Revoke an API key."""
    return Operation(
        "DELETE",
        "/v2/projects/{projectId}/keys/{keyId}",
        path={"projectId": project_id, "keyId": key_id},
    )


def list_federated_identities(project_id: str) -> Operation[types.ListFederatedIdentitiesResponse]:
    """List federated identities."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/federated-identities",
        path={"projectId": project_id},
    )


def create_federated_identity(project_id: str, body: types.CreateFederatedIdentityRequest) -> Operation[types.FederatedIdentity]:
    """Create a federated identity."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/federated-identities",
        path={"projectId": project_id},
        body=body,
    )


def delete_federated_identity(project_id: str, identity_id: str) -> Operation[types.DeleteFederatedIdentityResponse]:
    """Delete a federated identity."""
    return Operation(
        "DELETE",
        "/v2/projects/{projectId}/federated-identities/{identityId}",
        path={"projectId": project_id, "identityId": identity_id},
    )


def get_project(project_id: str) -> Operation[types.Project]:
    """Get a project."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}",
        path={"projectId": project_id},
    )


def rename_project(project_id: str, body: types.RenameProjectRequest) -> Operation[types.Project]:
    """Rename a project."""
    return Operation(
        "PATCH",
        "/v2/projects/{projectId}",
        path={"projectId": project_id},
        body=body,
    )


def delete_project(project_id: str, query: types.DeleteProjectParametersQuery) -> Operation[types.DeletedProject]:
    """Delete a project."""
    return Operation(
        "DELETE",
        "/v2/projects/{projectId}",
        path={"projectId": project_id},
        query=query,
    )


def export_project(project_id: str) -> Download:
    """Export a project."""
    return Download(
        "/v2/projects/{projectId}/export",
        "application/gzip",
        path={"projectId": project_id},
    )


def get_setup(project_id: str) -> Operation[types.ProjectSetup]:
    """Get setup progress."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/setup",
        path={"projectId": project_id},
    )


def get_repository(project_id: str) -> Operation[types.GetRepositoryResponse]:
    """Get the repository."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/repository",
        path={"projectId": project_id},
    )


def connect_repository(project_id: str, body: types.ConnectRepositoryRequest) -> Operation[types.Repository]:
    """Connect a repository."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/repository",
        path={"projectId": project_id},
        body=body,
    )


def change_repository(project_id: str, body: types.ChangeRepositoryRequest) -> Operation[types.Repository]:
    """Change repository settings."""
    return Operation(
        "PATCH",
        "/v2/projects/{projectId}/repository",
        path={"projectId": project_id},
        body=body,
    )


def test_repository(project_id: str, body: types.TestRepositoryRequest) -> Operation[types.RepositoryTest]:
    """Test a repository connection."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/repository/test",
        path={"projectId": project_id},
        body=body,
    )


def change_publishing_rules(project_id: str, body: types.ChangePublishingRulesRequest) -> Operation[types.Repository]:
    """Change the publishing rules."""
    return Operation(
        "PATCH",
        "/v2/projects/{projectId}/repository/rules",
        path={"projectId": project_id},
        body=body,
    )


def start_github_authorization(project_id: str, body: types.StartGithubAuthorizationRequest) -> Operation[types.StartGithubAuthorizationResponse]:
    """Start a GitHub authorization."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/github/authorizations",
        path={"projectId": project_id},
        body=body,
    )


def complete_github_authorization(project_id: str, body: types.CompleteGithubAuthorizationRequest) -> Operation[types.GithubRepositoryList]:
    """Finish a GitHub authorization."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/github/authorizations/complete",
        path={"projectId": project_id},
        body=body,
    )


def test_github_repository(project_id: str, body: types.TestGithubRepositoryRequest) -> Operation[types.RepositoryTest]:
    """Test a GitHub repository."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/github/repository/test",
        path={"projectId": project_id},
        body=body,
    )


def connect_github_repository(project_id: str, body: types.ConnectGithubRepositoryRequest) -> Operation[types.Repository]:
    """Connect a GitHub repository."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/github/repository",
        path={"projectId": project_id},
        body=body,
    )


def get_project_settings(project_id: str) -> Operation[types.ProjectSettings]:
    """Get project settings."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/settings",
        path={"projectId": project_id},
    )


def change_project_settings(project_id: str, body: types.ChangeProjectSettingsRequest) -> Operation[types.ProjectSettings]:
    """Change project settings."""
    return Operation(
        "PATCH",
        "/v2/projects/{projectId}/settings",
        path={"projectId": project_id},
        body=body,
    )


def get_project_spend(project_id: str, query: types.GetProjectSpendParametersQuery | None = None) -> Operation[types.ProjectSpend]:
    """Get a project's spend."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/spend",
        path={"projectId": project_id},
        query=query or {},
    )


def pause_project(project_id: str) -> Operation[types.Project]:
    """Pause a project."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/pause",
        path={"projectId": project_id},
    )


def resume_project(project_id: str) -> Operation[types.Project]:
    """Resume a project."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/resume",
        path={"projectId": project_id},
    )


def list_runners(project_id: str) -> Operation[types.ListRunnersResponse]:
    """List runners."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/runners",
        path={"projectId": project_id},
    )


def create_runner(project_id: str, body: types.CreateRunnerRequest) -> Operation[types.CreateRunnerResponse]:
    """Create a runner."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/runners",
        path={"projectId": project_id},
        body=body,
    )


def rotate_runner_token(project_id: str, runner_id: str, body: types.RotateRunnerTokenRequest) -> Operation[types.RotateRunnerTokenResponse]:
    """Rotate a runner's token."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/runners/{runnerId}/rotate",
        path={"projectId": project_id, "runnerId": runner_id},
        body=body,
    )


def revoke_runner(project_id: str, runner_id: str) -> Operation[types.RevokeRunnerResponse]:
    """Revoke a runner."""
    return Operation(
        "DELETE",
        "/v2/projects/{projectId}/runners/{runnerId}",
        path={"projectId": project_id, "runnerId": runner_id},
    )


def list_webhook_endpoints(project_id: str) -> Operation[types.ListWebhookEndpointsResponse]:
    """List endpoints."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/webhooks",
        path={"projectId": project_id},
    )


def create_webhook_endpoint(project_id: str, body: types.CreateWebhookEndpointRequest) -> Operation[types.CreateWebhookEndpointResponse]:
    """Create an endpoint."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/webhooks",
        path={"projectId": project_id},
        body=body,
    )


def change_webhook_endpoint(project_id: str, endpoint_id: str, body: types.ChangeWebhookEndpointRequest) -> Operation[types.WebhookEndpoint]:
    """Change, enable or disable an endpoint."""
    return Operation(
        "PATCH",
        "/v2/projects/{projectId}/webhooks/{endpointId}",
        path={"projectId": project_id, "endpointId": endpoint_id},
        body=body,
    )


def delete_webhook_endpoint(project_id: str, endpoint_id: str) -> Operation[types.DeleteWebhookEndpointResponse]:
    """Delete an endpoint."""
    return Operation(
        "DELETE",
        "/v2/projects/{projectId}/webhooks/{endpointId}",
        path={"projectId": project_id, "endpointId": endpoint_id},
    )


def rotate_webhook_secret(project_id: str, endpoint_id: str, body: types.RotateWebhookSecretRequest) -> Operation[types.RotateWebhookSecretResponse]:
    """Rotate the secret of a webhook."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/webhooks/{endpointId}/rotate",
        path={"projectId": project_id, "endpointId": endpoint_id},
        body=body,
    )


def test_webhook_endpoint(project_id: str, endpoint_id: str) -> Operation[types.WebhookDelivery]:
    """Send a test event."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/webhooks/{endpointId}/test",
        path={"projectId": project_id, "endpointId": endpoint_id},
    )


def list_webhook_deliveries(project_id: str, endpoint_id: str, query: types.ListWebhookDeliveriesParametersQuery | None = None) -> Operation[types.ListWebhookDeliveriesResponse]:
    """List deliveries."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/webhooks/{endpointId}/deliveries",
        path={"projectId": project_id, "endpointId": endpoint_id},
        query=query or {},
    )


def get_webhook_delivery(project_id: str, endpoint_id: str, delivery_id: str) -> Operation[types.GetWebhookDeliveryResponse]:
    """Get a delivery."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/webhooks/{endpointId}/deliveries/{deliveryId}",
        path={"projectId": project_id, "endpointId": endpoint_id, "deliveryId": delivery_id},
    )


def resend_webhook_delivery(project_id: str, endpoint_id: str, delivery_id: str) -> Operation[types.WebhookDelivery]:
    """Send an event again."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/webhooks/{endpointId}/deliveries/{deliveryId}/resend",
        path={"projectId": project_id, "endpointId": endpoint_id, "deliveryId": delivery_id},
    )


def get_project_health(project_id: str) -> Operation[types.ProjectHealth]:
    """Get project health."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/health",
        path={"projectId": project_id},
    )


def list_members(project_id: str, query: types.ListMembersParametersQuery | None = None) -> Operation[types.ListMembersResponse]:
    """List members."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/members",
        path={"projectId": project_id},
        query=query or {},
    )


def add_member(project_id: str, body: types.AddMemberRequest) -> Operation[types.Member]:
    """Add a member."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/members",
        path={"projectId": project_id},
        body=body,
    )


def list_created_access(project_id: str, member_id: str, query: types.ListCreatedAccessParametersQuery | None = None) -> Operation[types.ListCreatedAccessResponse]:
    """List what a member created."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/members/{memberId}/created",
        path={"projectId": project_id, "memberId": member_id},
        query=query or {},
    )


def change_member_role(project_id: str, member_id: str, body: types.ChangeMemberRoleRequest) -> Operation[types.Member]:
    """Change a member's role."""
    return Operation(
        "PATCH",
        "/v2/projects/{projectId}/members/{memberId}",
        path={"projectId": project_id, "memberId": member_id},
        body=body,
    )


def remove_member(project_id: str, member_id: str, query: types.RemoveMemberParametersQuery | None = None) -> Operation[types.Member]:
    """Remove a member."""
    return Operation(
        "DELETE",
        "/v2/projects/{projectId}/members/{memberId}",
        path={"projectId": project_id, "memberId": member_id},
        query=query or {},
    )


def list_invitations(project_id: str) -> Operation[types.ListInvitationsResponse]:
    """List invitations."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/invitations",
        path={"projectId": project_id},
    )


def create_invitation(project_id: str, body: types.CreateInvitationRequest) -> Operation[types.CreateInvitationResponse]:
    """Invite a person."""
    return Operation(
        "POST",
        "/v2/projects/{projectId}/invitations",
        path={"projectId": project_id},
        body=body,
    )


def revoke_invitation(project_id: str, invitation_id: str) -> Operation[types.Invitation]:
    """Revoke an invitation."""
    return Operation(
        "DELETE",
        "/v2/projects/{projectId}/invitations/{invitationId}",
        path={"projectId": project_id, "invitationId": invitation_id},
    )


def get_required_second_factor(project_id: str) -> Operation[types.RequiredSecondFactor]:
    """Get the second factor rule."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/second-factor",
        path={"projectId": project_id},
    )


def require_second_factor(project_id: str, body: types.RequireSecondFactorRequest) -> Operation[types.RequiredSecondFactor]:
    """Require a second factor."""
    return Operation(
        "PATCH",
        "/v2/projects/{projectId}/second-factor",
        path={"projectId": project_id},
        body=body,
    )


def list_audit_entries(project_id: str, query: types.ListAuditEntriesParametersQuery | None = None) -> Operation[types.ListAuditEntriesResponse]:
    """List audit entries."""
    return Operation(
        "GET",
        "/v2/projects/{projectId}/audit",
        path={"projectId": project_id},
        query=query or {},
    )


def get_health() -> Operation[types.Health]:
    """Check liveness."""
    return Operation(
        "GET",
        "/healthz",
    )


def get_readiness() -> Operation[types.Readiness]:
    """Check readiness."""
    return Operation(
        "GET",
        "/readyz",
        additional_statuses=(503,),
    )
