{{- define "colophon.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* All pods of the release. */}}
{{- define "colophon.releaseSelector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Takes (list $ "api"): the pods of one component. */}}
{{- define "colophon.selector" -}}
{{ include "colophon.releaseSelector" (index . 0) }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "colophon.labels" -}}
{{ include "colophon.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Takes (list $ "server"). */}}
{{- define "colophon.image" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $image := index $root.Values.images $name -}}
{{- if not $image.repository -}}
{{- fail (printf "\n\nimages.%s.repository is required: build the image from deploy/Dockerfile, push it to your registry, and set its name, like registry.example.com/colophon/%s.\n" $name $name) -}}
{{- end -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default $root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "colophon.gatewayUrl" -}}
{{- if .Values.gateway.url -}}
{{ .Values.gateway.url }}
{{- else if .Values.worker.enabled -}}
{{ ternary "https" "http" (ne .Values.gateway.tls.secretName "") }}://{{ include "colophon.fullname" . }}-worker.{{ .Release.Namespace }}.svc:8090
{{- else if .Values.runner.enabled -}}
{{- fail "\n\ngateway.url is required without worker: the URL of the gateway of another release, like http://colophon-worker.colophon.svc:8090.\n" -}}
{{- end -}}
{{- end -}}

{{/* Takes (list $ "api"): the Secret with the URL of the database role of this process. */}}
{{- define "colophon.databaseUrlSecret" -}}
{{- $root := index . 0 -}}
{{- $roles := $root.Values.databaseRoles -}}
{{- if ne (empty $roles.api) (empty $roles.worker) -}}
{{- fail "\n\ndatabaseRoles.api and databaseRoles.worker must be set together: set both, or neither for one role.\n" -}}
{{- end -}}
{{- if $roles.api -}}
{{ index . 1 }}DatabaseUrl
{{- else -}}
databaseUrl
{{- end -}}
{{- end -}}

{{/* Takes (list $ "databaseUrl" …). Settings that are read from the files of the volume `secrets`. */}}
{{- define "colophon.secretSettings" -}}
{{- $root := first . -}}
{{- range $name := rest . }}
{{- if (index $root.Values.secrets $name).name }}
- name: COLOPHON_{{ ternary "databaseUrl" $name (hasSuffix "DatabaseUrl" $name) | snakecase | upper }}_FILE
  value: /run/colophon/secrets/{{ $name | kebabcase }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The same list as a volume: one file for each of the named keys, and no other key of the Secrets. */}}
{{- define "colophon.secretVolume" -}}
{{- $root := first . -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range $name := rest . }}
      {{- $reference := index $root.Values.secrets $name }}
      {{- if $reference.name }}
      - secret:
          name: {{ $reference.name }}
          items:
            - key: {{ $reference.key }}
              path: {{ $name | kebabcase }}
      {{- end }}
      {{- end }}
{{- end -}}

{{/* Settings that api, worker and migrate share. */}}
{{- define "colophon.serviceSettings" -}}
{{- if and .Values.secrets.temporalApiKey.name (not .Values.temporal.tls) -}}
{{- fail "\n\ntemporal.tls: true is required with secrets.temporalApiKey: the API key must not be sent unencrypted.\n" -}}
{{- end -}}
- name: COLOPHON_LOG_LEVEL
  value: {{ .Values.logLevel }}
- name: COLOPHON_TEMPORAL_ADDRESS
  value: {{ required "\n\ntemporal.address is required: the Temporal frontend, like temporal-frontend.temporal:7233.\n" .Values.temporal.address }}
- name: COLOPHON_TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace }}
- name: COLOPHON_TEMPORAL_TLS
  value: {{ .Values.temporal.tls | quote }}
{{- if .Values.caBundle.configMapName }}
- name: NODE_EXTRA_CA_CERTS
  value: /run/colophon/ca/ca.crt
- name: COLOPHON_EGRESS_CA_BUNDLE_FILE
  value: /run/colophon/ca/ca.crt
{{- end }}
{{- end -}}

{{/* Settings of the map `settings`, for api and worker. */}}
{{- define "colophon.moreSettings" -}}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "colophon.caVolume" -}}
{{- if .Values.caBundle.configMapName }}
- name: ca
  configMap:
    name: {{ .Values.caBundle.configMapName }}
    items:
      - key: {{ .Values.caBundle.key }}
        path: ca.crt
{{- end }}
{{- end -}}

{{- define "colophon.caMount" -}}
{{- if .Values.caBundle.configMapName }}
- name: ca
  mountPath: /run/colophon/ca
  readOnly: true
{{- end }}
{{- end -}}

{{/* Takes (list $ values "api"). What all pods have in common, except the security context. */}}
{{- define "colophon.podSpec" -}}
{{- $root := index . 0 -}}
{{- $values := index . 1 -}}
automountServiceAccountToken: false
# Otherwise Kubernetes adds variables like COLOPHON_API_SERVICE_HOST, which Colophon would reject as unknown settings.
enableServiceLinks: false
{{- with $root.Values.images.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{/* Soft: an instance with one node still starts. */}}
{{- define "colophon.spread" -}}
topologySpreadConstraints:
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - topologyKey: {{ $key }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels: {{- include "colophon.selector" $ | nindent 8 }}
  {{- end }}
{{- end -}}

{{/* fsGroup makes the files of the volume `secrets` readable. */}}
{{- define "colophon.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
{{- end -}}

{{- define "colophon.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Takes (list port scheme startSeconds). */}}
{{- define "colophon.probes" -}}
{{- $port := index . 0 -}}
{{- $scheme := index . 1 -}}
startupProbe:
  httpGet: { path: /healthz, port: {{ $port }}, scheme: {{ $scheme }} }
  periodSeconds: 2
  failureThreshold: {{ div (index . 2) 2 }}
livenessProbe:
  httpGet: { path: /healthz, port: {{ $port }}, scheme: {{ $scheme }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
# Its checks of the databases take up to two seconds.
readinessProbe:
  httpGet: { path: /readyz, port: {{ $port }}, scheme: {{ $scheme }} }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}

{{/* Takes (list $ "api" values behavior). */}}
{{- define "colophon.autoscaler" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := (index . 2).autoscaling -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "colophon.fullname" $root }}-{{ $component }}
  labels: {{- include "colophon.labels" (list $root $component) | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "colophon.fullname" $root }}-{{ $component }}
  minReplicas: {{ $values.minReplicas }}
  maxReplicas: {{ $values.maxReplicas }}
  metrics:
    {{- if $values.metrics }}
    {{- toYaml $values.metrics | nindent 4 }}
    {{- else }}
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ $values.targetCpuUtilizationPercent }}
    {{- end }}
{{- end -}}

{{- define "colophon.podDisruptionBudget" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index . 2 -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "colophon.fullname" $root }}-{{ $component }}
  labels: {{- include "colophon.labels" (list $root $component) | nindent 4 }}
spec:
  maxUnavailable: {{ $values.podDisruptionBudget.maxUnavailable }}
  # A pod that is not ready protects nothing, and must not block the drain of a node.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "colophon.selector" (list $root $component) | nindent 6 }}
{{- end -}}

{{- define "colophon.metricsPort" -}}
{{- if .Values.metrics.enabled -}}
- { name: metrics, containerPort: {{ .Values.metrics.port }} }
{{- end -}}
{{- end -}}

{{- define "colophon.metricsSettings" -}}
{{- if .Values.metrics.enabled -}}
- name: COLOPHON_METRICS_LISTEN
  value: {{ printf "%s:%d" .Values.listenHost (int .Values.metrics.port) | quote }}
{{- end -}}
{{- end -}}
