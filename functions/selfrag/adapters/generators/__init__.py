"""The fine-tuned model on a vLLM server or a SageMaker endpoint; loaded where a setting names one."""
