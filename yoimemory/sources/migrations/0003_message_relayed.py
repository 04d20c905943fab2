from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('sources', '0002_kept_records_and_messages'),
    ]

    operations = [
        migrations.AddField(
            model_name='message',
            name='relayed',
            field=models.BooleanField(default=False, help_text='A Worker or a script passed it on; no person wrote it.'),
        ),
    ]
