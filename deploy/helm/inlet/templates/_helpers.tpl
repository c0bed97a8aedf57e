{{/* Names and labels that several templates share. */}}
{{- define "inlet.fullname" -}}
{{- if contains "inlet" .Release.Name -}}
{{ .Release.Name | trunc 48 | trimSuffix "-" }}
{{- else -}}
{{ .Release.Name | trunc 42 | trimSuffix "-" }}-inlet
{{- end -}}
{{- end -}}

{{- define "inlet.selector" -}}
app.kubernetes.io/name: inlet
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "inlet.labels" -}}
{{ include "inlet.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "inlet.secretName" -}}
{{ .Values.existingSecret | default (include "inlet.fullname" .) }}
{{- end -}}

{{- define "inlet.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "inlet.fullname" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end -}}
